"""Batches, losses and the training loop."""
import random, time
from collections import defaultdict
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from inputs import DEVICE, KINDS, RELATIONS, encoded, padded, parts_of, spans_of

# Passages, short passages, pairs, prompts.
BATCH = {'keep': 16, 'short': 48, 'relate': 128, 'read': 24}
# Processes that make batches while the GPU computes.
WORKERS = 8


class Batches(Dataset):
    """
    One epoch in random order. A batch is made by another process: ids, where the sentences are, and what the answers should be. `others` and
    `foreign`: memories of the own and of other projects, beside the helpful ones, that a prompt is compared with.
    """

    def __init__(self, rows_of, encode, seed, others, foreign):
        self.encode, self.seed, self.others, self.foreign = encode, seed, others, foreign
        rng = random.Random(seed)
        self.todo = [one for task, rows in rows_of.items() for one in self.divided(task, rows, rng)]
        rng.shuffle(self.todo)

    def divided(self, task, rows, rng):
        rows = list(rows)
        if task == 'relate':
            # Ends are rare and matter most.
            rows += 2 * [row for row in rows if row['label'] in ('supersedes', 'resolves')]
        if task == 'read':
            # Few have memories as the product makes them.
            rows += [row for row in rows if row.get('made')]
        rng.shuffle(rows)
        if task == 'keep':
            short = [row for row in rows if row.get('short')]
            rows = [row for row in rows if not row.get('short')]
            # They have the same sentences, so half of them is enough.
            short = short[::2]
            return cut(task, rows, BATCH['keep']) + cut(task, short, BATCH['short'])
        return cut(task, rows, BATCH[task])

    def __len__(self):
        return len(self.todo)

    def __getitem__(self, k):
        task, rows = self.todo[k]
        inputs, labels = getattr(self, task)(rows, random.Random(f'{self.seed} {k}'))
        spans = spans_of(inputs) if task == 'keep' else np.zeros(0)
        return task, padded(inputs), spans, labels

    def keep(self, rows, _):
        """Worth keeping or not, and the kind of what is. Another sentence of a kept matter (`part`) counts neither way."""
        units = [unit or {'kind': 'part'} for row in rows for unit in row['units']]
        return encoded(self.encode, 'keep', rows), {
            'worth': np.array([unit['kind'] not in ('none', 'part') for unit in units], np.float32),
            'counts': np.array([unit['kind'] != 'part' for unit in units], np.float32),
            'kind': np.array([KINDS.index(unit['kind']) if unit['kind'] in KINDS else -100 for unit in units])}

    def relate(self, rows, _):
        """`stays` (-1): nothing or the same."""
        labels = [-1 if row['label'] == 'stays' else RELATIONS.index(row['label']) for row in rows]
        return encoded(self.encode, 'relate', rows), {'relation': np.array(labels)}

    def read(self, rows, rng):
        pairs, labels, prompt = [], [], []
        for k, row in enumerate(rows):
            for prompt_part, text, label in self.compared(row, rng):
                pairs.append(self.encode('read', prompt_part, text))
                labels.append(label)
                prompt.append(k)
        return pairs, {'helps': np.array(labels), 'prompt': np.array(prompt), 'prompts': len(rows)}

    def compared(self, row, rng):
        own = list(zip(parts_of(row), row["memories"], row["labels"]))
        helpful, rest = [one for one in own if one[2] != 0], [one for one in own if one[2] == 0]
        foreign = [(row['a'], text, 0) for text in row['foreign']]
        pick = lambda some, most: rng.sample(some, min(most, len(some)))
        # Of many that may help or were not judged, some.
        unsure = pick([one for one in helpful if one[2] < 0], self.foreign)
        return [one for one in helpful if one[2] > 0] + unsure + pick(rest, self.others) + pick(foreign, self.foreign)


def cut(task, rows, size):
    return [(task, rows[i:i + size]) for i in range(0, len(rows), size)]


class Losses:
    """`agree`: weight of the difference between two answers to the same input with different dropout; 0 asks once."""

    def __init__(self, agree=0.):
        self.agree = agree

    def __call__(self, model, task, inputs, spans, labels):
        loss_of, difference_of = getattr(self, task)(labels)
        times = 2 if self.agree else 1
        ids, mask, types = inputs.repeat(1, times, 1).unbind()
        if task == 'keep':
            spans = torch.cat([spans + torch.tensor([[k * inputs.shape[1]], [0], [0]], device=DEVICE) for k in range(times)], 1).unbind()
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            answers = model(task, ids, mask, types, *([spans] if task == 'keep' else []))
            if not self.agree:
                return loss_of(answers)
            one, other = answers.chunk(2)
            return (loss_of(one) + loss_of(other)) / 2 + self.agree * difference_of(one, other)

    def keep(self, labels):
        worth, counts, kind = labels['worth'], labels['counts'], labels['kind']

        def loss_of(out):
            loss = F.binary_cross_entropy_with_logits(out[:, 0], worth, reduction='none', pos_weight=torch.tensor(1.5, device=DEVICE))
            kinds = F.cross_entropy(out[:, 1:], kind, label_smoothing=.05, reduction='sum') / (kind >= 0).sum().clamp(min=1)
            return (loss * counts).sum() / len(worth) + .5 * kinds

        def difference_of(one, other):
            of_kind = divergence(F.log_softmax(one[:, 1:], -1), F.log_softmax(other[:, 1:], -1)).sum(-1)
            return (divergence_of_odds(one[:, 0], other[:, 0]) + .5 * of_kind * worth).mean()

        return loss_of, difference_of

    def relate(self, labels):
        relation = labels['relation']
        stays = relation < 0

        def loss_of(out):
            sure = F.log_softmax(out, -1)
            known = sure.gather(1, relation.clamp(min=0).unsqueeze(1)).squeeze(1)
            return -torch.where(stays, torch.logsumexp(sure[:, :2], 1), known).mean()

        def difference_of(one, other):
            return divergence(F.log_softmax(one, -1), F.log_softmax(other, -1)).sum(-1).mean()

        return loss_of, difference_of

    def read(self, labels):
        """The helpful memories of a prompt against all others and against `none`, and each pair by itself."""
        counts, helps, prompt, prompts = labels['helps'] >= 0, (labels['helps'] == 1).float(), labels['prompt'], labels['prompts']
        sum_of = lambda values: torch.zeros(prompts, device=DEVICE).index_add(0, prompt, values)
        mass_of = lambda odds: torch.exp(odds.clamp(max=30))
        wanted = sum_of(helps) > 0

        def loss_of(out):
            odds = out.squeeze(-1)
            alone = (F.binary_cross_entropy_with_logits(odds, helps, reduction='none') * counts).sum() / prompts
            mass = torch.where(counts, mass_of(odds), torch.zeros_like(odds))
            total, right = 1 + sum_of(mass), sum_of(mass * helps)
            return .3 * alone + torch.where(wanted, -torch.log((right + 1e-6) / total), torch.log(total)).mean()

        def difference_of(one, other):
            one, other = one.squeeze(-1), other.squeeze(-1)
            none, none_other = (-torch.log(1 + sum_of(mass_of(odds))) for odds in (one, other))
            among = sum_of(divergence(one + none[prompt], other + none_other[prompt])) + divergence(none, none_other)
            return among.mean() + .3 * divergence_of_odds(one, other).sum() / prompts

        return loss_of, difference_of


def divergence(one, other):
    """The parts of the symmetric divergence of two distributions, given as logarithms."""
    return (one.exp() - other.exp()) * (one - other)


def divergence_of_odds(one, other):
    return (torch.sigmoid(one) - torch.sigmoid(other)) * (one - other)


def on_device(value):
    return value.to(DEVICE, non_blocking=True) if torch.is_tensor(value) else value


def fit(model, epoch_of, loss_of, lr, epochs, mean_of=0., save=lambda: None):
    """
    `epoch_of(n)` gives the batches of the n-th epoch. With `mean_of` the result is the running mean of the weights. Saves the weights after
    each epoch, so that a run that is stopped loses little.
    """
    learnt = model.learnt()
    plain = lambda name: 'bias' in name or 'LayerNorm' in name
    optimizer = torch.optim.AdamW([{'params': [w for n, w in learnt if not plain(n)], 'weight_decay': .01},
                                   {'params': [w for n, w in learnt if plain(n)], 'weight_decay': 0.}], lr=lr, fused=True)
    steps = int(len(epoch_of(0)) * epochs)
    rate = lambda step: min(1, (step + 1) / (.06 * steps)) * max(0, 1 - step / steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    weights = [weight for _, weight in learnt]
    mean = [weight.detach().clone() for weight in weights]
    began, done, epoch = time.time(), 0, 0
    while done < steps:
        losses = defaultdict(list)
        model.train()
        for task, inputs, spans, labels in DataLoader(epoch_of(epoch), batch_size=None, num_workers=WORKERS, prefetch_factor=8):
            if done == steps:
                break
            labels = {name: on_device(value) for name, value in labels.items()}
            loss = loss_of(model, task, on_device(inputs).long(), on_device(spans), labels)
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
        save()
        print('epoch', epoch, {task: round(float(torch.stack(v).mean()), 3) for task, v in losses.items()},
              f'{time.time() - began:.0f} s', flush=True)
    if mean_of:
        with torch.no_grad():
            for weight, value in zip(weights, mean):
                weight.copy_(value)
