"""The view of nodes by the types of their ops."""

from __future__ import annotations

from tracefn._proto import message_class
from tracefn.compat.v1.model_profiles.nodes import STATISTICS, Node, Nodes
from tracefn.compat.v1.model_profiles.options import Options
from tracefn.compat.v1.model_profiles.shown import ROOT, Entry, graph_node, in_order, input_texts, is_shown
from tracefn.compat.v1.model_profiles.texts import Quantity, heading, quantities, time_text

# The message of a type has no number of runs.
_SUMMED = tuple(name for name in STATISTICS if name != "run_count")


class _OpType(Entry):
    """All nodes of a type that the options count."""

    def __init__(self, name: str, nodes: list[Node], options: Options) -> None:
        types = options.patterns["account_type_regexes"]
        self.nodes = [node for node in nodes if types.is_any or any(map(types.match, node.types))]
        self.statistics = [node.statistics(options.step) for node in self.nodes]
        super().__init__(name, {statistic: sum(one[statistic] for one in self.statistics) for statistic in _SUMMED})
        self.is_counted = bool(self.nodes)
        self.reset_total()


def op_types(nodes: Nodes, options: Options) -> tuple[str, object]:
    """The view "op": the types of ops, each with the sum of those after it. Returns its text and its message."""
    by_type: dict[str, list[Node]] = {}
    for node in nodes.in_order():
        by_type.setdefault(node.op, []).append(node)
    entries = [_OpType(name, by_type[name], options) for name in sorted(by_type)]
    counted = [entry for entry in in_order(entries, options, occurrence=lambda entry: -len(entry.nodes)) if entry.is_counted]
    root = _OpType(ROOT, [], options)
    _accumulate(root, counted)
    shown = _chosen(counted, options)
    if options.account_displayed_op_only:
        for entry in shown:
            entry.reset_total()
        _accumulate(root, shown)
    columns = quantities(options.selected, counts_first=False)
    text = "" if not entries else heading(options.selected, columns, "op occurrence")
    message = root_message = message_class("MultiGraphNodeProto")(**root.fields())
    for entry in shown:
        text += _line(entry, root, nodes, options, columns)
        message = message.children.add()
        message.CopyFrom(_message(entry, nodes))
    return text, root_message


def _accumulate(root: _OpType, entries: list[_OpType]) -> None:
    """Adds to the total of each entry that of those after it; the root gets the sum of all."""
    for entry, after in zip(entries[-2::-1], entries[:0:-1], strict=True):
        entry.add(after)
    root.reset_total(with_own=False)
    if entries:
        root.add(entries[0])


def _chosen(entries: list[_OpType], options: Options) -> list[_OpType]:
    """The entries that the options show."""
    starts, trimmed = options.patterns["start_name_regexes"], options.patterns["trim_name_regexes"]
    if starts.texts and not starts.is_any:
        first = next((index for index, entry in enumerate(entries) if starts.match(entry.name)), len(entries))
        entries = entries[first:]
    shown = []
    for depth, entry in enumerate(entries):
        if trimmed.match(entry.name) or depth > options.max_depth:
            break
        if is_shown(entry, options, depth, entry.total):
            shown.append(entry)
    return shown


def _message(entry: _OpType, nodes: Nodes):
    message = message_class("MultiGraphNodeProto")(**entry.fields())
    for node, statistics in zip(entry.nodes, entry.statistics, strict=True):
        one = Entry(node.name, statistics)
        one.reset_total()
        message.graph_nodes.add().CopyFrom(graph_node(node, nodes.by_name, one))
        message.graph_nodes[-1].total_definition_count = 1
    return message


def _line(entry: _OpType, root: _OpType, nodes: Nodes, options: Options, columns: list[Quantity]) -> str:
    selected, texts = options.selected, [_column(entry, root, column) for column in columns]
    if "device" in selected:
        texts.append("|".join(sorted({node.device for node in entry.nodes})))
    if "op_types" in selected:
        texts.append("|".join(sorted({name for node in entry.nodes for name in node.types})))
    if "occurrence" in selected:
        texts.append(f"{sum(one['run_count'] for one in entry.statistics)}|{len(entry.nodes)}".rjust(10))
    line = f"{entry.name:<25}{', '.join(texts)}\n"
    if "input_shapes" in selected and entry.nodes:
        line += f"\n{_input_shapes(entry, nodes)}\n\n"
    return line


def _column(entry: _OpType, root: _OpType, column: Quantity) -> str:
    own, total, whole = entry.own[column.statistic], entry.total[column.statistic], root.total[column.statistic]
    shares = (100 * total / whole, 100 * own / whole) if (own if column.statistic.endswith("bytes") else total) else (0.0, 0.0)
    return f"{column.text(own)}{column.in_list} ({shares[0]:.2f}%, {shares[1]:.2f}%)".rjust(30)


def _input_shapes(entry: _OpType, nodes: Nodes) -> str:
    """The shapes of inputs, those that ran most often first."""
    found: dict[str, list[int]] = {}
    for node, statistics in zip(entry.nodes, entry.statistics, strict=True):
        shapes = ",\t".join(input_texts(node.input_shapes(nodes.by_name)))
        numbers = found.setdefault(f"input_type: {shapes}", [0, 0, 0])
        for index, number in enumerate((statistics["run_count"], 1, statistics["exec_micros"])):
            numbers[index] += number
    rows = sorted(sorted(found.items()), key=lambda row: -row[1][0])
    return "\n".join(f"{shapes}\t(run*{runs}|defined*{defined})\texec_time: {time_text(micros)}" for shapes, (runs, defined, micros) in rows)
