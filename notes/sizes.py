import ast,sys,pathlib
def st(p):
    t=ast.parse(p.read_text()); n=0
    for x in ast.walk(t):
        if isinstance(x,ast.stmt) and not (isinstance(x,ast.Expr) and isinstance(x.value,ast.Constant) and isinstance(x.value.value,str)): n+=1
    return n
root=pathlib.Path(sys.argv[1]); d={}
for p in sorted(root.rglob('*.py')):
    d.setdefault(p.parent,[]).append((p.name,st(p)))
for k,v in d.items():
    print(f"{k} {sum(n for _,n in v)} in {len(v)}: "+' '.join(f"{a[:-3]}:{n}" for a,n in v))
