from . import headers

for path, text in headers().items():
    path.write_text(text, encoding="utf-8")
