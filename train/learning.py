"""Losses and the training loop."""
import time
from collections import defaultdict
import torch, torch.nn as nn, torch.nn.functional as F
from inputs import DEVICE, KINDS, RELATIONS, batch, encoded, parts_of, spans_of

# Passages, pairs, prompts.
BATCH = {'keep': 16, 'relate': 128, 'read': 24}


class Losses:
    """
    `others` and `foreign`: memories of the own and of other projects, beside the helpful ones, that a prompt is compared
    with. `agree`: weight of the difference between two answers to the same input with different dropout; 0 asks once.
    """

    def __init__(self, encode, rng, others, foreign, agree=0.):
        self.encode, self.rng, self.others, self.foreign, self.agree = encode, rng, others, foreign, agree

    def __call__(self, model, task, rows):
        inputs, loss_of, difference_of = getattr(self, task)(rows)
        answers = lambda some: model(task, *batch(some), *([spans_of(some)] if task == 'keep' else []))
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            if not self.agree:
                return loss_of(answers(inputs))
            one, other = answers(inputs + inputs).chunk(2)
            return (loss_of(one) + loss_of(other)) / 2 + self.agree * difference_of(one, other)

    def keep(self, rows):
        """Worth keeping or not, and the kind of what is. Another sentence of a kept matter (`part`) counts neither way."""
        units = [unit or {'kind': 'part'} for row in rows for unit in row['units']]
        worth = tensor([float(unit['kind'] not in ('none', 'part')) for unit in units])
        counts = tensor([float(unit['kind'] != 'part') for unit in units])
        kinds = [KINDS.index(unit['kind']) if unit['kind'] in KINDS else -100 for unit in units]
        kind, has_kind = tensor(kinds), max(kinds) >= 0

        def loss_of(out):
            loss = F.binary_cross_entropy_with_logits(out[:, 0], worth, reduction='none', pos_weight=tensor(1.5))
            return (loss * counts).sum() / len(units) + (.5 * F.cross_entropy(out[:, 1:], kind, label_smoothing=.05) if has_kind else 0)

        def difference_of(one, other):
            of_kind = divergence(F.log_softmax(one[:, 1:], -1), F.log_softmax(other[:, 1:], -1)).sum(-1)
            return (divergence_of_odds(one[:, 0], other[:, 0]) + .5 * of_kind * worth).mean()

        return encoded(self.encode, 'keep', rows), loss_of, difference_of

    def relate(self, rows):
        labels = tensor([RELATIONS.index(row['label']) for row in rows])

        def loss_of(out):
            return F.cross_entropy(out, labels)

        def difference_of(one, other):
            return divergence(F.log_softmax(one, -1), F.log_softmax(other, -1)).sum(-1).mean()

        return encoded(self.encode, 'relate', rows), loss_of, difference_of

    def read(self, rows):
        """The helpful memories of a prompt against all others and against `none`, and each pair by itself."""
        pairs, labels, prompt = [], [], []
        for k, row in enumerate(rows):
            for prompt_part, text, label in self.compared(row):
                pairs.append(self.encode('read', prompt_part, text))
                labels.append(label)
                prompt.append(k)
        labels, prompt = tensor(labels), tensor(prompt)
        counts, helps = labels >= 0, (labels == 1).float()
        sum_of = lambda values: torch.zeros(len(rows), device=DEVICE).index_add(0, prompt, values)
        mass_of = lambda odds: torch.exp(odds.clamp(max=30))
        wanted = sum_of(helps) > 0

        def loss_of(out):
            odds = out.squeeze(-1)
            alone = (F.binary_cross_entropy_with_logits(odds, helps, reduction='none') * counts).sum() / len(rows)
            mass = torch.where(counts, mass_of(odds), torch.zeros_like(odds))
            total, right = 1 + sum_of(mass), sum_of(mass * helps)
            return .3 * alone + torch.where(wanted, -torch.log((right + 1e-6) / total), torch.log(total)).mean()

        def difference_of(one, other):
            one, other = one.squeeze(-1), other.squeeze(-1)
            none, none_other = (-torch.log(1 + sum_of(mass_of(odds))) for odds in (one, other))
            among = sum_of(divergence(one + none[prompt], other + none_other[prompt])) + divergence(none, none_other)
            return among.mean() + .3 * divergence_of_odds(one, other).sum() / len(rows)

        return pairs, loss_of, difference_of

    def compared(self, row):
        own = list(zip(parts_of(row), row['memories'], row['labels']))
        helpful, rest = [one for one in own if one[2] != 0], [one for one in own if one[2] == 0]
        foreign = [(row['a'], text, 0) for text in row['foreign']]
        pick = self.rng.sample
        return helpful + pick(rest, min(self.others, len(rest))) + pick(foreign, min(self.foreign, len(foreign)))


def tensor(values):
    return torch.tensor(values, device=DEVICE)


def divergence(one, other):
    """The parts of the symmetric divergence of two distributions, given as logarithms."""
    return (one.exp() - other.exp()) * (one - other)


def divergence_of_odds(one, other):
    return (torch.sigmoid(one) - torch.sigmoid(other)) * (one - other)


def fit(model, batches, loss_of, rng, lr, epochs, mean_of=0.):
    """`batches()` gives an epoch's batches. With `mean_of` the result is the running mean of the weights."""
    learnt = model.learnt()
    plain = lambda name: 'bias' in name or 'LayerNorm' in name
    optimizer = torch.optim.AdamW([{'params': [w for n, w in learnt if not plain(n)], 'weight_decay': .01},
                                   {'params': [w for n, w in learnt if plain(n)], 'weight_decay': 0.}], lr=lr, fused=True)
    steps = int(len(batches()) * epochs)
    rate = lambda step: min(1, (step + 1) / (.06 * steps)) * max(0, 1 - step / steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    weights = [weight for _, weight in learnt]
    mean = [weight.detach().clone() for weight in weights]
    began, done, epoch = time.time(), 0, 0
    while done < steps:
        todo = batches()
        rng.shuffle(todo)
        losses = defaultdict(list)
        model.train()
        for task, rows in todo[:steps - done]:
            loss = loss_of(model, task, rows)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 1.)
            optimizer.step()
            schedule.step()
            done += 1
            if mean_of:
                torch._foreach_lerp_(mean, [weight.detach() for weight in weights], 1 - min(mean_of, done / (done + 10)))
            losses[task].append(loss.detach())
        epoch += 1
        print('epoch', epoch, {task: round(float(torch.stack(v).mean()), 3) for task, v in losses.items()},
              f'{time.time() - began:.0f} s', flush=True)
    if mean_of:
        with torch.no_grad():
            for weight, value in zip(weights, mean):
                weight.copy_(value)


def batches_of(train, rng, twice=''):
    """An epoch in random order. `twice`: a task whose examples count twice."""
    def of(task, rows):
        rows = list(rows)
        if task == 'relate':
            # Ends are rare and matter most.
            rows += 2 * [row for row in rows if row['label'] in ('supersedes', 'resolves')]
        if task == twice:
            rows += rows
        rng.shuffle(rows)
        return [(task, rows[i:i + BATCH[task]]) for i in range(0, len(rows), BATCH[task])]
    return lambda: [one for task, rows in train.items() for one in of(task, rows)]
