import ast,sys
from pathlib import Path
for p in sorted(Path(sys.argv[1]).rglob("*.py")):
    for n in ast.walk(ast.parse(p.read_text())):
        if isinstance(n,(ast.FunctionDef,ast.AsyncFunctionDef)):
            g=n.args; pos=[a.arg for a in (*g.posonlyargs,*g.args) if a.arg not in("self","cls")]; kw=[a.arg for a in g.kwonlyargs]
            if len(pos)+len(kw)>=7: print(p,n.lineno,n.name,len(pos),len(kw))
