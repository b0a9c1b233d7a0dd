"""Trains the small model on a GPU and reports on projects that it did not see.

  python3 train/train.py --examples FILE --base FILE --vocab FILE [--out FILE] [--check FILE] [--figures FILE]

The base stays as it is. Its last layers are copied, and the copies learn *keep*, *relate* and *read* together, each with a
head of its own. The layers below get a small change of low rank, which is used for these tasks only. Projects are held out by the hash of their name (--fold); group t is held out always and is never used to
choose anything. The same seed gives the same data order; the GPU's sums may differ in the last digits.
"""
import argparse, copy, gzip, json, random, time, zlib
from collections import defaultdict
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from transformers import BertConfig, BertModel, BertTokenizerFast
from base import base_weights

ap = argparse.ArgumentParser()
ap.add_argument('--examples', required=True, help='from examples.ts')
ap.add_argument('--base', required=True, help="the base's graph, or what base.py packed")
ap.add_argument('--vocab', required=True)
ap.add_argument('--tasks', default='keep,relate,read')
ap.add_argument('--epochs', type=float, default=6)
ap.add_argument('--long', type=int, default=3, help='times that a sentence of a session like a real one (group long) counts')
ap.add_argument('--lr', type=float, default=2e-4)
ap.add_argument('--drop', type=float, default=.2)
ap.add_argument('--own', type=int, default=3, help='layers of our own')
ap.add_argument('--rank', type=int, default=16, help='rank of the changes that the tasks make to the lower layers; 0: none')
ap.add_argument('--mean', type=float, default=.999, help='decay of the running mean of the weights, which is the result; 0: the last weights')
ap.add_argument('--seed', type=int, default=1)
ap.add_argument('--fold', type=int, default=0, help='the fifth of the projects that is held out; -1: none')
ap.add_argument('--share', type=float, default=1., help='share of the training projects that is used')
ap.add_argument('--foreign', type=int, default=6, help='memories of other projects that each prompt of *read* is compared with too')
ap.add_argument('--blind', action='store_true', help='report on group t too, once, for the model that ships')
ap.add_argument('--out', default='', help='the learnt weights')
ap.add_argument('--check', default='', help='inputs with the outputs of the model, for export.py')
ap.add_argument('--figures', default='', help='the report as JSON')
A = ap.parse_args()

TASKS = A.tasks.split(',')
KINDS = ['decision', 'preference', 'discovery', 'dead_end', 'issue', 'bugfix', 'feature', 'refactor', 'pattern']
RELATIONS = ['nothing', 'same', 'supersedes', 'resolves']
# Word pieces of the vocabulary that no text contains.
MARK = {'keep': 1, 'relate': 2, 'read': 3}
LIMIT = {'keep': 144, 'relate': 128, 'read': 96, 'vector': 128}
BATCH = {'keep': 128, 'relate': 128, 'read': 24}
LAYERS = 6
# Memories of other projects per prompt, of which some are used at a time.
NEAREST = 40
# Memories of a project that has been used for long, and how many of them the product reads for a prompt.
MANY, READ = 800, 4
DEVICE = 'cuda'

torch.manual_seed(A.seed)
random.seed(A.seed)
rng = random.Random(A.seed)
torch.backends.cuda.matmul.allow_tf32 = True
tokenizer = BertTokenizerFast(A.vocab, do_lower_case=True)
known_ids = {}


def ids_of(text):
    if text not in known_ids:
        known_ids[text] = tokenizer(text[:1600], add_special_tokens=False)['input_ids']
    return known_ids[text]


def encode(task, a, b=''):
    """[CLS] mark a [SEP] b [SEP]; a vector's text has neither mark nor second part. Returns ids and types."""
    a, b, limit = ids_of(a), ids_of(b), LIMIT[task]
    if task == 'vector':
        a = a[:limit - 2]
        return [101] + a + [102], [0] * (len(a) + 2)
    most = limit // 2 if task == 'read' else 80
    if len(a) > most:
        a = a[:most * 2 // 3] + a[-(most - most * 2 // 3):]
    b = b[:limit - 4 - len(a)]
    return [101, MARK[task]] + a + [102] + b + [102], [0] * (len(a) + 3) + [1] * (len(b) + 1)


def batch(pairs):
    """ids, mask, types, padded to a common length."""
    length = (max(len(ids) for ids, _ in pairs) + 7) // 8 * 8
    out = np.zeros((3, len(pairs), length), np.int64)
    for k, (ids, types) in enumerate(pairs):
        out[0, k, :len(ids)] = ids
        out[1, k, :len(ids)] = 1
        out[2, k, :len(ids)] = types
    return [torch.from_numpy(part).to(DEVICE) for part in out]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        config = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=LAYERS, num_attention_heads=12,
                            intermediate_size=1536, max_position_embeddings=512, attn_implementation='sdpa')
        self.base = BertModel(config, add_pooling_layer=False)
        weights = {name: torch.tensor(value) for name, value in base_weights(A.base).items()}
        missing = self.base.load_state_dict(weights, strict=False).missing_keys
        assert all('_ids' in name for name in missing), missing[:4]
        for weight in self.base.parameters():
            weight.requires_grad_(False)
        self.own = nn.ModuleList(copy.deepcopy(layer) for layer in self.base.encoder.layer[LAYERS - A.own:])
        for weight in self.own.parameters():
            weight.requires_grad_(True)
        self.low = nn.ModuleDict()
        self.adapting = False
        for i, layer in enumerate(self.base.encoder.layer[:LAYERS - A.own] if A.rank else []):
            for name, linear in layer.named_modules():
                if isinstance(linear, nn.Linear):
                    self.adapt(f'{i}.{name}'.replace('.', '-'), linear)
        self.drop = nn.Dropout(A.drop)
        self.keep, self.relate, self.read = nn.Linear(768, 1 + len(KINDS)), nn.Linear(768, len(RELATIONS)), nn.Linear(768, 1)
        for head in (self.keep, self.relate, self.read):
            nn.init.normal_(head.weight, std=.02)
            nn.init.zeros_(head.bias)

    def adapt(self, name, linear):
        """Adds a change of low rank to a layer of the base, for the tasks only."""
        down, up = nn.Linear(linear.in_features, A.rank, bias=False), nn.Linear(A.rank, linear.out_features, bias=False)
        nn.init.normal_(down.weight, std=.02)
        nn.init.zeros_(up.weight)
        self.low[name] = nn.ModuleDict({'down': down, 'up': up})
        linear.register_forward_hook(lambda _, given, out: out + up(down(given[0])) if self.adapting else out)

    def forward(self, task, ids, mask, types):
        self.adapting = task != 'vector'
        layers = list(self.base.encoder.layer)
        if task != 'vector':
            layers = layers[:LAYERS - A.own] + list(self.own)
        states = self.base.embeddings(input_ids=ids, token_type_ids=types)
        seen = mask[:, None, None, :].bool().expand(-1, -1, ids.shape[1], -1)
        block = torch.zeros_like(seen, dtype=states.dtype).masked_fill(~seen, torch.finfo(torch.float16).min)
        for layer in layers:
            states = layer(states, block)
            states = states[0] if isinstance(states, tuple) else states
        part = (mask * (1 - types) if task == 'keep' else mask).unsqueeze(-1).to(states.dtype)
        mean = (states * part).sum(1) / part.sum(1)
        if task == 'vector':
            return F.normalize(mean.float(), dim=-1)
        return getattr(self, task)(self.drop(torch.cat([states[:, 0], mean], -1))).float()


# Data

def read_examples():
    opener = gzip.open if A.examples.endswith('.gz') else open
    with opener(A.examples, 'rt') as file:
        rows = [json.loads(line) for line in file]
    train, held, blind = (defaultdict(list) for _ in range(3))
    for row in rows:
        name = row['project']
        if name.startswith('t-'):
            blind[row['task']].append(row)
        elif zlib.crc32(name.encode()) % 5 == A.fold:
            held[row['task']].append(row)
        elif zlib.crc32(('share ' + name).encode()) % 1000 < A.share * 1000:
            train[row['task']].append(row)
    return train, held, blind


@torch.no_grad()
def add_foreign(model, rows):
    """
    Gives each prompt the memories of other projects that are nearest in meaning: a real project has hundreds of memories,
    and the nearest few of them are read.
    """
    texts = {text: row['project'] for row in rows for text in row['memories']}
    known, projects = list(texts), np.array(list(texts.values()))
    vectors = torch.tensor(outputs(model, 'vector', [encode('vector', text) for text in known]), device=DEVICE)
    prompts = torch.tensor(outputs(model, 'vector', [encode('vector', row['a']) for row in rows]), device=DEVICE)
    for row, prompt in zip(rows, prompts):
        near = vectors @ prompt
        near[torch.tensor(projects == row['project'], device=DEVICE)] = -1
        row['foreign'] = [known[i] for i in near.topk(NEAREST).indices.tolist()]


def batches(train, task):
    rows = list(train[task])
    if task == 'relate':
        # Ends are rare and matter most.
        rows += 2 * [row for row in rows if row['label'] in ('supersedes', 'resolves')]
    if task == 'keep':
        # Most turns of real sessions have nothing to keep; in the other groups most have.
        rows += (A.long - 1) * [row for row in rows if row['project'].startswith('long-')]
    rng.shuffle(rows)
    return [(task, rows[i:i + BATCH[task]]) for i in range(0, len(rows), BATCH[task])]


# Training

def loss_of(model, task, rows):
    with torch.autocast('cuda', dtype=torch.bfloat16):
        return {'keep': keep_loss, 'relate': relate_loss, 'read': read_loss}[task](model, rows)


def keep_loss(model, rows):
    """Worth keeping or not, and the kind of what is. Another sentence of a kept matter (`part`) counts neither way."""
    out = model('keep', *batch([encode('keep', row['a'], row['b']) for row in rows]))
    worth = torch.tensor([float(row['kind'] not in ('none', 'part')) for row in rows], device=DEVICE)
    counts = torch.tensor([float(row['kind'] != 'part') for row in rows], device=DEVICE)
    kind = torch.tensor([KINDS.index(row['kind']) if row['kind'] in KINDS else -100 for row in rows], device=DEVICE)
    loss = F.binary_cross_entropy_with_logits(out[:, 0], worth, reduction='none', pos_weight=torch.tensor(1.5, device=DEVICE))
    loss = (loss * counts).sum() / len(rows)
    return loss + (.5 * F.cross_entropy(out[:, 1:], kind, label_smoothing=.05) if (kind >= 0).any() else 0)


def relate_loss(model, rows):
    out = model('relate', *batch([encode('relate', row['a'], row['b']) for row in rows]))
    return F.cross_entropy(out, torch.tensor([RELATIONS.index(row['label']) for row in rows], device=DEVICE))


def read_loss(model, rows):
    """The helpful memories of a prompt against all others and against `none`, and each pair by itself."""
    pairs, labels, prompt = [], [], []
    for k, row in enumerate(rows):
        foreign = rng.sample(row['foreign'], A.foreign)
        for text, label in zip(row['memories'] + foreign, row['labels'] + [0] * A.foreign):
            pairs.append(encode('read', row['a'], text))
            labels.append(label)
            prompt.append(k)
    labels, prompt = torch.tensor(labels, device=DEVICE), torch.tensor(prompt, device=DEVICE)
    odds = model('read', *batch(pairs)).squeeze(-1)
    counts, helps = labels >= 0, (labels == 1).float()
    alone = (F.binary_cross_entropy_with_logits(odds, helps, reduction='none') * counts).sum() / len(rows)
    mass = torch.exp(torch.where(counts, odds, torch.full_like(odds, -1e4)).clamp(max=30))
    sum_of = lambda values: torch.zeros(len(rows), device=DEVICE).index_add(0, prompt, values)
    total, right, wanted = 1 + sum_of(mass), sum_of(mass * helps), sum_of(helps) > 0
    return .3 * alone + torch.where(wanted, -torch.log((right + 1e-6) / total), torch.log(total)).mean()


def fit(train):
    model = Model().to(DEVICE)
    add_foreign(model, train['read'])
    learnt = [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]
    plain = lambda name: 'bias' in name or 'LayerNorm' in name
    optimizer = torch.optim.AdamW([{'params': [w for n, w in learnt if not plain(n)], 'weight_decay': .01},
                                   {'params': [w for n, w in learnt if plain(n)], 'weight_decay': 0.}], lr=A.lr)
    steps = int(sum(len(batches(train, task)) for task in TASKS) * A.epochs)
    rate = lambda step: min(1, (step + 1) / (.06 * steps)) * max(0, 1 - step / steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    began, done, epoch = time.time(), 0, 0
    weights = [weight for _, weight in learnt]
    mean = [weight.detach().clone() for weight in weights]
    while done < steps:
        todo = [one for task in TASKS for one in batches(train, task)]
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
            torch._foreach_lerp_(mean, [weight.detach() for weight in weights], 1 - min(A.mean, done / (done + 10)))
            losses[task].append(loss.detach())
        epoch += 1
        print('epoch', epoch, {task: round(float(torch.stack(v).mean()), 3) for task, v in losses.items()}, f'{time.time() - began:.0f} s', flush=True)
    if A.mean:
        with torch.no_grad():
            for weight, value in zip(weights, mean):
                weight.copy_(value)
    return model


# Report

@torch.no_grad()
def outputs(model, task, pairs):
    model.eval()
    out = []
    for i in range(0, len(pairs), 256):
        with torch.autocast('cuda', dtype=torch.bfloat16):
            out.append(model(task, *batch(pairs[i:i + 256])).cpu())
    return torch.cat(out).numpy()


def keep_report(model, rows):
    out = outputs(model, 'keep', [encode('keep', row['a'], row['b']) for row in rows])
    sure = 1 / (1 + np.exp(-out[:, 0]))
    labels = {(row['project'], row['turn'], id) for row in rows for id in row['keeps']}
    busy = {(row['project'], row['turn']) for row in rows if row['keeps']}
    report = {}
    for floor in (.7, .5, .3, .2):
        taken = [i for i in range(len(rows)) if sure[i] > floor]
        found = {(rows[i]['project'], rows[i]['turn'], id) for i in taken for id in rows[i]['keeps']}
        wrong = [i for i in taken if rows[i]['kind'] == 'none']
        right = [i for i in taken if rows[i]['keeps']]
        kind = np.mean([KINDS[out[i, 1:].argmax()] == rows[i]['kind'] for i in right])
        report[f'above {floor}'] = {
            'found': len(found) / len(labels), 'wrong': len(wrong) / len(taken),
            'wrong in turns with nothing': sum((rows[i]['project'], rows[i]['turn']) not in busy for i in wrong) / len(taken),
            'kind right': float(kind), 'labels': len(labels), 'sentences': len(taken)}
    return report


def relate_report(model, rows):
    out = outputs(model, 'relate', [encode('relate', row['a'], row['b']) for row in rows])
    sure = np.exp(out - out.max(1, keepdims=True))
    sure /= sure.sum(1, keepdims=True)
    end = sure[:, 2] + sure[:, 3]
    is_end = np.array([row['label'] in ('supersedes', 'resolves') for row in rows])
    report = {f'ends above {floor}': {'found': float((end[is_end] > floor).mean()), 'wrong': float((end[~is_end] > floor).mean()),
                                      'ends': int(is_end.sum()), 'others': int((~is_end).sum())} for floor in (.5, .7, .9)}
    report['right'] = float(np.mean([RELATIONS[best] == row['label'] for best, row in zip(out.argmax(1), rows)]))
    return report


def read_report(model, rows):
    """
    Recall at a given share of prompts that want nothing and get something; the best three of 20 memories count. Prompts
    for which a memory may help, but none surely, are left out.
    """
    rows = [row for row in rows if 1 in row['labels'] or -1 not in row['labels']]
    odds = outputs(model, 'read', [encode('read', row['a'], text) for row in rows for text in row['memories']])[:, 0]
    per, at = [], 0
    for row in rows:
        per.append(odds[at:at + len(row['memories'])])
        at += len(row['memories'])
    wants = [1 in row['labels'] for row in rows]
    none = sorted((max(x) for x, wanted in zip(per, wants) if not wanted), reverse=True)
    report = {'prompts': len(rows), 'want nothing': len(none)}
    for share in (.03, .05, .10, .15):
        floor = none[int(len(none) * share)]
        met = sum(any(row['labels'][i] == 1 and x[i] > floor for i in np.argsort(-x)[:3]) for row, x, wanted in zip(rows, per, wants) if wanted)
        report[f'recall at {share:.0%} false'] = met / sum(wants)
    report |= many_report(model, rows)
    return report


def many_report(model, rows):
    """Recall among many memories: the nearest few in meaning of the own ones and of other projects' are read."""
    texts = {text: row['project'] for row in rows for text in row['memories']}
    order = sorted(texts, key=lambda text: zlib.crc32(text.encode()))
    index = {text: k for k, text in enumerate(texts)}
    vectors = outputs(model, 'vector', [encode('vector', text) for text in texts])
    prompts = outputs(model, 'vector', [encode('vector', row['a']) for row in rows])
    pairs, chosen = [], []
    for row, prompt in zip(rows, prompts):
        others = [text for text in order if texts[text] != row['project']][:MANY - len(row['memories'])]
        pool = row['memories'] + others
        near = vectors[[index[text] for text in pool]] @ prompt
        chosen.append([(row['labels'] + [0] * len(others))[i] for i in np.argsort(-near)[:READ]])
        pairs += [encode('read', row['a'], pool[i]) for i in np.argsort(-near)[:READ]]
    odds = outputs(model, 'read', pairs)[:, 0].reshape(-1, READ)
    wants = np.array([1 in row['labels'] for row in rows])
    floors = sorted(odds[~wants].max(1), reverse=True)
    labels = np.array(chosen)
    report = {'among many: wanted is read': float((labels[wants] == 1).any(1).mean())}
    for share in (.05, .15):
        floor = floors[int(len(floors) * share)]
        report[f'among many: recall at {share:.0%} false'] = float(((odds > floor) & (labels == 1))[wants].any(1).mean())
    return report


def report_on(model, rows):
    reports = {'keep': keep_report, 'relate': relate_report, 'read': read_report}
    return {task: reports[task](model, rows[task]) for task in TASKS if rows[task]}


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return round(value, 3) if isinstance(value, float) else value


@torch.no_grad()
def write_check(model, rows):
    """Some inputs with what the model says of them in 32 bit."""
    pick = random.Random(7)
    model.eval()
    out = []
    for task in ('keep', 'relate', 'read', 'vector'):
        for row in pick.sample(rows['keep' if task == 'vector' else task], 200):
            b = {'read': lambda: pick.choice(row['memories']), 'vector': lambda: ''}.get(task, lambda: row['b'])()
            ids, types = encode(task, row['a'], b)
            values = model(task, *batch([(ids, types)]))[0]
            out.append({'task': task, 'a': row['a'], 'b': b, 'ids': ids, 'types': types, 'out': [round(float(x), 5) for x in values]})
    with gzip.open(A.check, 'wt') as file:
        json.dump(out, file)


def main():
    train, held, blind = read_examples()
    projects = lambda rows: {task: len({row['project'] for row in rows[task]}) for task in rows}
    print('projects: train', projects(train), 'held out', projects(held), 'blind', projects(blind), flush=True)
    model = fit(train)
    figures = rounded({
        'projects': {'train': projects(train), 'held out': projects(held), 'blind': projects(blind)},
        'examples': {task: len(rows) for task, rows in train.items()},
        'held out': report_on(model, held),
        'blind': report_on(model, blind) if A.blind else {},
    })
    print(json.dumps(figures, indent=1))
    if A.figures:
        with open(A.figures, 'w') as file:
            json.dump(figures, file, indent=1)
    if A.check:
        write_check(model, held)
    if A.out:
        learnt = {name: value for name, value in model.state_dict().items() if not name.startswith('base.')}
        np.savez(A.out, **{name: value.half().cpu().numpy() for name, value in learnt.items()})


main()
