"""A training step: the dump holds the joint, the forward and the backward graph."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


@torch.compile
def loss_of(x, y):
    return torch.nn.functional.mse_loss(model(x), y)


def main():
    for _ in range(5):
        x = torch.randn(32, 8)
        loss = loss_of(x, x.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss after 5 steps: %.4f" % loss.item())


if __name__ == "__main__":
    import depyf

    with depyf.prepare_debug("./dump_src_dir"):
        main()
