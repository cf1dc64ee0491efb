"""Ways through a graph."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def postorder(
    root: Node, following: Callable[[Node], Iterable[Node]], seen: set[Node] | None = None
) -> list[Node]:
    """What is reached from a node and was not `seen` (it is, afterwards), each node after those
    that it leads to; `following` gives the nodes that come directly after one. No depth is too
    deep: the path to the present node is a list of ours, not Python's stack."""
    found: list[Node] = []
    seen = set() if seen is None else seen
    path = [] if root in seen else [(root, iter(following(root)))]
    seen.add(root)
    while path:
        node, left = path[-1]
        if (onward := next((to for to in left if to not in seen), None)) is None:
            found.append(node)
            path.pop()
        else:
            seen.add(onward)
            path.append((onward, iter(following(onward))))
    return found
