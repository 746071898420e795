// Templates are found by words, the best match first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findByWords } from "../../../../src/domain/template/template-words.ts";

const template = (name: string, image: string, desc = "", count_created = 0) => ({
  name,
  image,
  tag: "latest",
  desc,
  count_created,
});
const ALL = [
  template("ComfyUI", "yanwk/comfyui-boot", "Images from text, with PyTorch below."),
  template("Data science", "quay.io/jupyter/pytorch-notebook", "A notebook."),
  template("My PyTorch", "me/own", "", 1),
  template("PyTorch (CUDA 12.4, SSH)", "pytorch/pytorch", "", 5),
  template("NoPyTorchHere", "a/b", ""),
];
const found = (typed: string) => findByWords(ALL, typed).map(({ name }) => name);

test("the start of a name comes first, then its words, then inside it, the image, the description", () => {
  assert.deepEqual(found("pytorch"), [
    "PyTorch (CUDA 12.4, SSH)",
    "My PyTorch",
    "NoPyTorchHere",
    "Data science",
    "ComfyUI",
  ]);
});

test("every word must be there, in any order and case, and part of a word will do", () => {
  assert.deepEqual(found("SSH  pyt"), ["PyTorch (CUDA 12.4, SSH)"]);
  assert.deepEqual(found("notebook jupyter"), ["Data science"]);
  assert.deepEqual(found("pytorch blender"), []);
  assert.deepEqual(found(":latest").length, ALL.length, "the image as it is shown");
});

test("without a word all are there, the most used first, and what is missing is no match", () => {
  assert.deepEqual(found("  ").slice(0, 2), ["PyTorch (CUDA 12.4, SSH)", "My PyTorch"]);
  const bare = { name: undefined, image: undefined, tag: undefined, desc: undefined, count_created: undefined };
  assert.deepEqual(findByWords([bare], "x"), []);
  assert.deepEqual(findByWords([bare], ""), [bare]);
});

test("what looks like a pattern is searched for as it stands", () => {
  assert.deepEqual(found("(cuda"), ["PyTorch (CUDA 12.4, SSH)"]);
  assert.deepEqual(found(".*"), []);
});
