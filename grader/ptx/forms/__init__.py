"""PTX's instruction set: every opcode is one entry of a table.

`pages/` holds the entries by family. An entry names the opcodes, writes down how they may be
written (`syntax`) and says what they compute; all else that anybody wants to know of an instruction
stands in the `Form` that the parser looks up for it (`table.resolve`). A new page is a file in
`pages/`, and nothing else.
"""
