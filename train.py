print('edited there')
