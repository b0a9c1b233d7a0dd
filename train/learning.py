"""Losses and the training loop, the same for the student and its teachers."""
import time
from collections import defaultdict
import torch, torch.nn as nn, torch.nn.functional as F
from inputs import DEVICE, KINDS, RELATIONS, batch, parts_of

BATCH = {'keep': 96, 'relate': 128, 'read': 24}


class Losses:
    """
    `others` and `foreign`: memories of the own and of other projects, beside the helpful ones, that a prompt is compared
    with. `agree`: weight of the difference between two answers to the same input with different dropout; 0 asks once.
    """

    def __init__(self, encode, rng, others, foreign, taught=.5, agree=0.):
        self.encode, self.rng, self.others, self.foreign, self.taught, self.agree = encode, rng, others, foreign, taught, agree

    def __call__(self, model, task, rows):
        pairs, loss_of, difference_of = getattr(self, task)(rows)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            if not self.agree:
                return loss_of(model(task, *batch(pairs)))
            one, other = model(task, *batch(pairs + pairs)).chunk(2)
            return (loss_of(one) + loss_of(other)) / 2 + self.agree * difference_of(one, other)

    def mixed(self, hard, soft):
        return hard if soft is None else (1 - self.taught) * hard + self.taught * soft

    def keep(self, rows):
        """Worth keeping or not, and the kind of what is. Another sentence of a kept matter (`part`) counts neither way."""
        worth = tensor([float(row['kind'] not in ('none', 'part')) for row in rows])
        counts = tensor([float(row['kind'] != 'part') for row in rows])
        kinds = [KINDS.index(row['kind']) if row['kind'] in KINDS else -100 for row in rows]
        kind, has_kind = tensor(kinds), max(kinds) >= 0
        taught = tensor([row['taught'] for row in rows]) if 'taught' in rows[0] else None

        def loss_of(out):
            loss = F.binary_cross_entropy_with_logits(out[:, 0], worth, reduction='none', pos_weight=tensor(1.5))
            hard = (loss * counts).sum() / len(rows)
            hard = hard + (.5 * F.cross_entropy(out[:, 1:], kind, label_smoothing=.05) if has_kind else 0)
            if taught is None:
                return hard
            sure = taught[:, 0]
            of_kind = -(taught[:, 1:] * F.log_softmax(out[:, 1:], -1)).sum(-1)
            soft = F.binary_cross_entropy_with_logits(out[:, 0], sure) + .5 * (of_kind * sure).sum() / sure.sum()
            return self.mixed(hard, soft)

        def difference_of(one, other):
            of_kind = divergence(F.log_softmax(one[:, 1:], -1), F.log_softmax(other[:, 1:], -1)).sum(-1)
            return (divergence_of_odds(one[:, 0], other[:, 0]) + .5 * of_kind * worth).mean()

        return self.pairs_of('keep', rows), loss_of, difference_of

    def relate(self, rows):
        labels = tensor([-100 if row['label'] is None else RELATIONS.index(row['label']) for row in rows])
        taught = tensor([row['taught'] for row in rows]) if 'taught' in rows[0] else None

        def loss_of(out):
            hard = F.cross_entropy(out, labels, reduction='sum') / len(rows)
            return self.mixed(hard, None if taught is None else -(taught * F.log_softmax(out, -1)).sum(-1).mean())

        def difference_of(one, other):
            return divergence(F.log_softmax(one, -1), F.log_softmax(other, -1)).sum(-1).mean()

        return self.pairs_of('relate', rows), loss_of, difference_of

    def pairs_of(self, task, rows):
        return [self.encode(task, row['a'], row['b']) for row in rows]

    def read(self, rows):
        """The helpful memories of a prompt against all others and against `none`, and each pair by itself."""
        pairs, labels, prompt, taught = [], [], [], []
        for k, row in enumerate(rows):
            for prompt_part, text, label, sure in self.compared(row):
                pairs.append(self.encode('read', prompt_part, text))
                labels.append(label)
                prompt.append(k)
                taught.append(sure)
        labels, prompt = tensor(labels), tensor(prompt)
        told = None if taught[0] is None else tensor(taught)
        counts, helps = labels >= 0, (labels == 1).float()
        sum_of = lambda values: torch.zeros(len(rows), device=DEVICE).index_add(0, prompt, values)
        mass_of = lambda odds: torch.exp(odds.clamp(max=30))
        wanted = sum_of(helps) > 0

        def loss_of(out):
            odds = out.squeeze(-1)
            alone = (F.binary_cross_entropy_with_logits(odds, helps, reduction='none') * counts).sum() / len(rows)
            mass = torch.where(counts, mass_of(odds), torch.zeros_like(odds))
            total, right = 1 + sum_of(mass), sum_of(mass * helps)
            hard = .3 * alone + torch.where(wanted, -torch.log((right + 1e-6) / total), torch.log(total)).mean()
            if told is None:
                return hard
            alone = F.binary_cross_entropy_with_logits(odds, torch.sigmoid(told), reduction='none').sum() / len(rows)
            told_mass = mass_of(told)
            total, told_total = 1 + sum_of(mass_of(odds)), 1 + sum_of(told_mass)
            among = (torch.log(total) - sum_of(told_mass / told_total[prompt] * odds)).mean()
            return self.mixed(hard, .3 * alone + among)

        def difference_of(one, other):
            one, other = one.squeeze(-1), other.squeeze(-1)
            none, none_other = (-torch.log(1 + sum_of(mass_of(odds))) for odds in (one, other))
            among = sum_of(divergence(one + none[prompt], other + none_other[prompt])) + divergence(none, none_other)
            return among.mean() + .3 * divergence_of_odds(one, other).sum() / len(rows)

        return pairs, loss_of, difference_of

    def compared(self, row):
        taught = row.get('taught', [None] * (len(row['memories']) + len(row['foreign'])))
        own = list(zip(parts_of(row, self.encode), row['memories'], row['labels'], taught))
        helpful, rest = [one for one in own if one[2] != 0], [one for one in own if one[2] == 0]
        foreign = [(row['a'], text, 0, sure) for text, sure in zip(row['foreign'], taught[len(own):])]
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


def batches_of(train, rng, long=1):
    """An epoch in random order. `long`: times that a sentence of a session like a real one counts."""
    def of(task, rows):
        rows = list(rows)
        if task == 'relate':
            # Ends are rare and matter most.
            rows += 2 * [row for row in rows if row['label'] in ('supersedes', 'resolves')]
        if task == 'keep':
            # Most turns of real sessions have nothing to keep; in the other groups most have.
            rows += (long - 1) * [row for row in rows if row['project'].startswith('long-')]
        rng.shuffle(rows)
        return [(task, rows[i:i + BATCH[task]]) for i in range(0, len(rows), BATCH[task])]
    return lambda: [one for task, rows in train.items() for one in of(task, rows)]
