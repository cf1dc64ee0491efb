"""What a kernel is made of: PTX text to a program, linked, its pointers followed."""
