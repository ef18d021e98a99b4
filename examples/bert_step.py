"""One training step of a small BERT with random weights; prints which kinds of files were dumped, and how many of each.

Needs transformers (4.57.6 was used); nothing is downloaded.
"""

import collections
import json

import torch
import transformers

torch.manual_seed(0)
config = transformers.BertConfig(
    vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64
)
model = transformers.BertForMaskedLM(config)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


@torch.compile
def loss_of(ids, labels):
    return model(input_ids=ids, labels=labels).loss


def main():
    ids = torch.arange(12).reshape(2, 6)
    loss = loss_of(ids, ids)
    loss.backward()
    optimizer.step()
    print("loss %.4f" % loss.item())


if __name__ == "__main__":
    import depyf

    with depyf.prepare_debug("./dump_src_dir"):
        main()
    with open("dump_src_dir/metadata.json") as stream:
        kinds = collections.Counter(file["kind"] for file in json.load(stream)["files"])
    for kind, count in sorted(kinds.items()):
        print("%4d  %s" % (count, kind))
