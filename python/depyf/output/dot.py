"""Flow graphs in Graphviz's language."""

from typing import List, Tuple

from depyf.flow_graph import Block
from depyf.output.instructions import shown

_STYLE = {"next": "", "jump": ' [color="blue"]', "handler": ' [color="red", style="dashed"]'}


def digraph(graphs: List[Tuple[str, List[Block]]]) -> str:
    """One digraph; each (name, blocks) is a cluster of it."""
    lines = ["digraph depyf {", '  node [shape="box", fontname="monospace", fontsize="10"];']
    for number, (name, blocks) in enumerate(graphs):
        lines.append("  subgraph cluster_%d {" % number)
        lines.append('    label="%s";' % _escaped(name))
        for block in blocks:
            table = {instruction.offset: instruction for instruction in block.instructions}
            text = "".join("%s\\l" % _escaped(shown(table, offset)) for offset in table)
            lines.append('    b%d_%d [label="%s"];' % (number, block.start, text))
        starts = {block.start for block in blocks}
        for block in blocks:
            for target, kind in block.ways:
                if target in starts:
                    lines.append("    b%d_%d -> b%d_%d%s;" % (number, block.start, number, target, _STYLE[kind]))
        lines.append("  }")
    return "\n".join(lines) + "\n}\n"


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(c if c.isprintable() else "?" for c in text)
