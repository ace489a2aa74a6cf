"""How does a picture become what a vision encoder reads? Bytes in, arrays out; no model, no torch.

    data_url   the text `data:image/png;base64,…`                        to bytes
    pixels     bytes of a JPEG or PNG, checked before they are decoded   to upright RGB pixels
    grid       a size in pixels                                          to a size in cells
    patches    pixels of a whole number of cells                         to the encoder's inputs

A cell is 28 x 28 pixels and becomes one row of the prompt, a soft token; it is 2 x 2 patches of
14 x 14 pixels, which are what the encoder attends over.
"""
