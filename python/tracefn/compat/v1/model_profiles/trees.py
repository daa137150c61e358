"""The views of nodes as trees: by the scopes in their names, and by what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tracefn.compat.v1.model_profiles.nodes import Node, Nodes
from tracefn.compat.v1.model_profiles.options import Options
from tracefn.compat.v1.model_profiles.shown import ROOT, Entry, graph_node, in_order, input_texts, is_shown, shape_text
from tracefn.compat.v1.model_profiles.texts import heading, number_text, quantities


class _Branch(Entry):
    """A node in a tree, or in a graph, of which each node is shown once."""

    def __init__(self, node: Node, step: int) -> None:
        super().__init__(node.name, {**node.statistics(step), "definition_count": 1})
        self.node = node
        self.children: list[_Branch] = []
        self.below: list[_Branch] = []  # those children that are counted, then those that are shown
        self.depth = self.indent = 0
        self.is_shown = False

    def fields(self) -> dict[str, int | str]:
        fields = super().fields()
        del fields["definition_count"]  # the message has the total only
        return fields


def scopes(nodes: Nodes, options: Options) -> tuple[str, object]:
    """The view "scope": nodes below the scopes in their names. Returns its text and its message."""
    branches: dict[str, _Branch] = {}
    for node in nodes.in_order():
        branches[node.name] = _Branch(node, options.step)
    for name in list(branches):
        while "/" in name:
            name = name.rpartition("/")[0]
            if name not in branches:
                branches[name] = _Branch(Node(name, "_kTFScopeParent"), options.step)
    root = _Branch(Node(ROOT, "_kTFScopeParent"), options.step)
    for name in sorted(branches):
        parent = branches[name.rpartition("/")[0]] if "/" in name else root
        parent.children.append(branches[name])
    return _report(root, nodes, options, keeps_parents=True)


def inputs(nodes: Nodes, options: Options) -> tuple[str, object]:
    """The view "graph": below each node what it reads. Returns its text and its message."""
    branches = {node.name: _Branch(node, options.step) for node in nodes.in_order()}
    read = set()
    for branch in branches.values():
        branch.children = [branches[name] for name in branch.node.inputs if name in branches]
        read.update(branch.node.inputs)
    root = _Branch(Node(ROOT, "_kTFGraphParent"), options.step)
    root.children = [branch for name, branch in branches.items() if name not in read]
    return _report(root, nodes, options, keeps_parents=False)


def _walk(roots: Iterable[_Branch], enter: Callable, leave: Callable) -> list[_Branch]:
    """Visits branches, each once, without recursion: graphs may be deep.

    `enter` is given a branch and the one above it, or None, and returns those below it; `leave` is given a branch and what those
    below it left behind, and returns what it leaves behind.
    """
    visited: set[str] = set()
    left: list[_Branch] = []
    stack: list = [(None, iter(roots), left)]
    while stack:
        branch, rest, found = stack[-1]
        entered = next((one for one in rest if one.name not in visited), None)
        if entered is not None:
            visited.add(entered.name)
            stack.append((entered, iter(enter(entered, branch)), []))
        else:
            stack.pop()
            if branch is not None:
                stack[-1][2].extend(leave(branch, found))
    return left


def _report(root: _Branch, nodes: Nodes, options: Options, keeps_parents: bool) -> tuple[str, object]:
    root.reset_total(with_own=False)
    root.below = _counted(root.children, options, keeps_parents)
    for branch in root.below:
        root.add(branch)
    starts = options.patterns["start_name_regexes"]
    if not starts.is_any:
        root.below = _walk(
            root.below,
            lambda branch, above: () if starts.match(branch.name) else branch.below,
            lambda branch, found: [branch] if starts.match(branch.name) else found,
        )
    _choose(root, options)
    columns = quantities(options.selected, counts_first=True)
    lines = [heading(options.selected, columns, "op count")]
    message = graph_node(root.node, nodes.by_name, root)
    stack = [(root, message)]
    while stack:
        branch, own_message = stack.pop()
        lines.append(_line(branch, nodes, options, columns))
        below = []
        for child in branch.below:
            child_message = own_message.children.add()
            child_message.CopyFrom(graph_node(child.node, nodes.by_name, child))
            below.append((child, child_message))
        stack += reversed(below)
    return "".join(lines), message


def _counted(roots: list[_Branch], options: Options, keeps_parents: bool) -> list[_Branch]:
    """The branches that the options count; with `keeps_parents` also those above them, else what is below one that is not counted
    goes to the one above it."""
    types = options.patterns["account_type_regexes"]

    def leave(branch: _Branch, found: list[_Branch]) -> list[_Branch]:
        branch.is_counted = types.is_any or any(map(types.match, branch.node.types))
        if not branch.is_counted and not (keeps_parents and found):
            return [] if keeps_parents else found
        branch.reset_total()
        branch.below = found
        for child in found:
            branch.add(child)
        return [branch]

    return _walk(roots, lambda branch, above: branch.children, leave)


def _choose(root: _Branch, options: Options) -> None:
    """Leaves below each branch those that the options show."""
    trimmed = options.patterns["trim_name_regexes"]

    def enter(branch: _Branch, above: _Branch | None) -> list[_Branch]:
        if above is not None:
            branch.depth, branch.indent = above.depth + 1, above.indent + (2 if above.is_shown else 0)
        else:
            branch.depth = 1
        branch.is_shown = is_shown(branch, options, branch.depth, branch.own)
        return [] if trimmed.match(branch.name) or branch.depth > options.max_depth else branch.below

    def leave(branch: _Branch, found: list[_Branch]) -> list[_Branch]:
        if not branch.is_shown:
            return found
        if options.account_displayed_op_only:
            branch.reset_total()
        branch.below = in_order(found, options)
        if options.account_displayed_op_only:
            for child in branch.below:
                branch.add(child)
        return [branch]

    _walk([root], enter, leave)


def _line(branch: _Branch, nodes: Nodes, options: Options, columns: list) -> str:
    def pair(own: str, total: str) -> str:
        return f"{own if branch.is_counted else '--'}/{total}"

    selected, texts = options.selected, []
    for column in columns:
        if column.statistic == "parameters" and branch.node.shape:
            texts.append(shape_text(branch.node.shape))
        texts.append(pair(column.text(branch.own[column.statistic]), column.text(branch.total[column.statistic])) + column.in_tree)
    if "device" in selected and branch.node.device:
        texts.append(branch.node.device)
    if "op_types" in selected:
        texts.append("|".join(sorted(branch.node.types)))
    if "occurrence" in selected:
        runs = pair(number_text(branch.own["run_count"]), number_text(branch.total["run_count"]))
        texts.append(f"{runs}|{pair('1', number_text(branch.total['definition_count']))}")
    if "input_shapes" in selected:
        texts.append("|".join(input_texts(branch.node.input_shapes(nodes.by_name))))
    return f"{' ' * branch.indent}{branch.name} ({', '.join(texts)})\n"
