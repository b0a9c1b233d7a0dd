"""The network that ships."""
import copy
import torch, torch.nn as nn, torch.nn.functional as F
from transformers import BertConfig, BertModel
from base import base_weights
from inputs import KINDS, RELATIONS, batch


class Answers(nn.Module):
    """A head for each task on top of the states of an encoder."""

    def __init__(self, drop):
        super().__init__()
        self.drop = nn.Dropout(drop)
        self.keep, self.relate, self.read = nn.Linear(768, 1 + len(KINDS)), nn.Linear(768, len(RELATIONS)), nn.Linear(768, 1)
        for head in (self.keep, self.relate, self.read):
            nn.init.normal_(head.weight, std=.02)
            nn.init.zeros_(head.bias)

    def forward(self, task, ids, mask, types, spans=None):
        """*keep* answers for every sentence: `spans` says where they are."""
        states = self.base.embeddings(input_ids=ids, token_type_ids=types)
        seen = mask[:, None, None, :].bool().expand(-1, -1, ids.shape[1], -1)
        block = torch.zeros_like(seen, dtype=states.dtype).masked_fill(~seen, torch.finfo(torch.float16).min)
        for layer in self.layers(task):
            states = layer(states, block)
            states = states[0] if isinstance(states, tuple) else states
        if task == 'keep':
            row, start, end = spans
            sums = F.pad(states.float().cumsum(1), (0, 0, 1, 0))
            mean = (sums[row, end] - sums[row, start]) / (end - start).unsqueeze(-1)
            return self.keep(self.drop(torch.cat([states[row, start], mean.to(states.dtype)], -1))).float()
        part = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * part).sum(1) / part.sum(1)
        if task == 'vector':
            return F.normalize(mean.float(), dim=-1)
        return getattr(self, task)(self.drop(torch.cat([states[:, 0], mean], -1))).float()

    def learnt(self):
        return [(name, weight) for name, weight in self.named_parameters() if weight.requires_grad]


def encoder(path, layers):
    config = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=layers, num_attention_heads=12,
                        intermediate_size=1536, max_position_embeddings=512, attn_implementation='sdpa')
    model = BertModel(config, add_pooling_layer=False)
    weights = {name: torch.tensor(value) for name, value in base_weights(path).items()}
    missing = model.load_state_dict(weights, strict=False).missing_keys
    assert all('_ids' in name for name in missing), missing[:4]
    return model


class Student(Answers):
    """
    The base stays as it is. Copies of its last layers learn, and the layers below get a change of low rank for the tasks.
    *read* asks something else than *keep* and *relate*, so it has a change of low rank of its own in all layers.
    """
    LAYERS = 6

    def __init__(self, path, own=3, ranks=(16, 8, 12), drop=.2):
        super().__init__(drop)
        self.base = encoder(path, self.LAYERS)
        for weight in self.base.parameters():
            weight.requires_grad_(False)
        self.lower = self.LAYERS - own
        self.own = nn.ModuleList(copy.deepcopy(layer) for layer in self.base.encoder.layer[self.lower:])
        for weight in self.own.parameters():
            weight.requires_grad_(True)
        # The tasks that change a layer now.
        self.adapting = ()
        lower, lower_read, own_read = ranks
        self.low, self.reading, self.upper = nn.ModuleDict(), nn.ModuleDict(), nn.ModuleDict()
        self.adapt(self.base.encoder.layer[:self.lower], [(self.low, lower, 'task'), (self.reading, lower_read, 'read')])
        self.adapt(self.own, [(self.upper, own_read, 'read')])

    def adapt(self, layers, changes):
        """Adds changes of low rank to layers: each has its rank and when it applies."""
        for i, layer in enumerate(layers):
            for name, linear in layer.named_modules():
                for into, rank, when in changes if isinstance(linear, nn.Linear) else []:
                    if rank:
                        self.change(into, f'{i}.{name}'.replace('.', '-'), linear, rank, when)

    def change(self, into, name, linear, rank, when):
        down, up = nn.Linear(linear.in_features, rank, bias=False), nn.Linear(rank, linear.out_features, bias=False)
        nn.init.normal_(down.weight, std=.02)
        nn.init.zeros_(up.weight)
        into[name] = nn.ModuleDict({'down': down, 'up': up})
        linear.register_forward_hook(lambda _, given, out: out + up(down(given[0])) if when in self.adapting else out)

    def layers(self, task):
        self.adapting = {'vector': (), 'read': ('task', 'read')}.get(task, ('task',))
        base = list(self.base.encoder.layer)
        return base[:self.lower] + list(self.own) if self.adapting else base


@torch.no_grad()
def outputs(model, task, inputs, size=512):
    """The model's outputs for encoded inputs, one row each, or one for each of their sentences; inputs of about the same length run together."""
    model.eval()
    size = size // 4 if task == 'keep' else size
    order = sorted(range(len(inputs)), key=lambda i: len(inputs[i][0]))
    out = [None] * len(inputs)
    for start in range(0, len(inputs), size):
        part = order[start:start + size]
        given = [inputs[i] for i in part]
        with torch.autocast('cuda', dtype=torch.bfloat16):
            rows = model(task, *batch(given, task)).float().cpu()
        counts = [len(one[2]) for one in given] if task == 'keep' else [1] * len(given)
        for i, found in zip(part, rows.split(counts)):
            out[i] = found
    return torch.cat(out).numpy()
