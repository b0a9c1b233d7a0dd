"""Trains the small model: one trunk, a head for each question. Reads examples made by examples.ts.

  python3 train.py --examples FILE --base minilm.npz --vocab vocab.txt [--tasks keep,relate,read,vector] [--out FILE]
"""
import argparse, copy, gzip, json, math, random, time, zlib
from collections import defaultdict
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from transformers import BertConfig, BertModel, BertTokenizerFast

ap = argparse.ArgumentParser()
ap.add_argument('--examples', required=True)
ap.add_argument('--base', required=True)
ap.add_argument('--vocab', required=True)
ap.add_argument('--tasks', default='keep,relate,read,vector')
ap.add_argument('--epochs', type=float, default=5)
ap.add_argument('--lr', type=float, default=8e-5)
ap.add_argument('--seed', type=int, default=1)
ap.add_argument('--layers', type=int, default=6)
ap.add_argument('--read-layer', type=int, default=0, help='0: the last one')
ap.add_argument('--read-limit', type=int, default=128)
ap.add_argument('--split', type=int, default=0, help='layers in which prompt and memory do not see each other')
ap.add_argument('--own', type=int, default=0, help='top layers of their own for these tasks')
ap.add_argument('--freeze', action='store_true', help='the base stays as it is; only own layers and heads learn')
ap.add_argument('--own-tasks', default='read')
ap.add_argument('--pos', type=float, default=1.5)
ap.add_argument('--drop', type=float, default=.1)
ap.add_argument('--vector-weight', type=float, default=20.)
ap.add_argument('--held', default='')
ap.add_argument('--fold', type=int, default=0, help='the fifth of the projects that is held out; -1: none')
ap.add_argument('--share', type=float, default=1., help='share of the training projects that is used')
ap.add_argument('--out', default='')
ap.add_argument('--scores', default='')
ap.add_argument('--check', default='', help='write some inputs with the outputs of the model, for export.py')
A = ap.parse_args()
TASKS = A.tasks.split(',')
torch.manual_seed(A.seed); random.seed(A.seed); np.random.seed(A.seed)
torch.backends.cuda.matmul.allow_tf32 = True
dev = 'cuda'
KINDS = ['decision', 'preference', 'discovery', 'dead_end', 'issue', 'bugfix', 'feature', 'refactor', 'pattern']
RELATE = ['nothing', 'same', 'supersedes', 'resolves']
# Word pieces of the vocabulary that no text contains.
MARK = {'keep': 1, 'relate': 2, 'read': 3}
LIMIT = {'keep': 144, 'relate': 128, 'read': A.read_limit, 'vector': 128}
tok = BertTokenizerFast(A.vocab, do_lower_case=True)
_ids = {}
def ids_of(text):
    if text not in _ids: _ids[text] = tok(text[:1600], add_special_tokens=False)['input_ids']
    return _ids[text]

def encode(task, a, b=''):
    """[CLS] mark a [SEP] b [SEP]; a vector's text has neither mark nor second part."""
    a, b, n = ids_of(a), ids_of(b), LIMIT[task]
    if task == 'vector': return [101] + a[:n - 2] + [102], [0] * (min(len(a), n - 2) + 2)
    most = n // 2 if task == 'read' else 80
    if len(a) > most: a = a[:most * 2 // 3] + a[-(most - most * 2 // 3):]
    b = b[:n - 4 - len(a)]
    return [101, MARK[task]] + a + [102] + b + [102], [0] * (len(a) + 3) + [1] * (len(b) + 1)

def batch(pairs):
    L = (max(len(i) for i, _ in pairs) + 7) // 8 * 8
    ids = np.zeros((len(pairs), L), np.int64); tt = np.zeros_like(ids); mk = np.zeros_like(ids)
    for k, (i, t) in enumerate(pairs): ids[k, :len(i)] = i; tt[k, :len(t)] = t; mk[k, :len(i)] = 1
    return [torch.from_numpy(x).to(dev) for x in (ids, mk, tt)]

def load_base(path, layers):
    z = np.load(path); sd = {}
    for k in z.files:
        if k.startswith('Q:'): sd[k[2:]] = torch.tensor(z[k].astype(np.float32) * z['S:' + k[2:]])
        elif not k.startswith('S:'): sd[k] = torch.tensor(z[k].astype(np.float32))
    n = 1 + max(int(k.split('.')[2]) for k in sd if k.startswith('encoder.layer.'))
    keep = [round(i * (n - 1) / (layers - 1)) for i in range(layers)] if layers < n else list(range(n))
    out = {}
    for k, v in sd.items():
        if k.startswith('encoder.layer.'):
            p = k.split('.'); i = int(p[2])
            if i in keep: p[2] = str(keep.index(i)); out['.'.join(p)] = v
        else: out[k] = v
    cfg = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=len(keep), num_attention_heads=12, intermediate_size=1536, max_position_embeddings=512, attn_implementation='sdpa')
    m = BertModel(cfg, add_pooling_layer=False); miss = m.load_state_dict(out, strict=False)
    assert all('position_ids' in k or 'token_type_ids' in k for k in miss.missing_keys), miss.missing_keys[:4]
    return m

class Model(nn.Module):
    def __init__(s):
        super().__init__()
        s.bert = load_base(A.base, A.layers); s.drop = nn.Dropout(A.drop)
        s.own = nn.ModuleList(copy.deepcopy(s.bert.encoder.layer[i]) for i in range(A.layers - A.own, A.layers)) if A.own else None
        s.keep = nn.Linear(768, 1 + len(KINDS)); s.relate = nn.Linear(768, len(RELATE)); s.read = nn.Linear(768, 1)
        for h in (s.keep, s.relate, s.read): nn.init.normal_(h.weight, std=.02); nn.init.zeros_(h.bias)
    def states(s, ids, mask, tt, task):
        """Hidden states of the last layer of a task. With --split, the two segments see only themselves in the first layers."""
        own = s.own is not None and task in A.own_tasks.split(',')
        h = s.bert.embeddings(input_ids=ids, token_type_ids=tt)
        if task == 'read' and A.split:
            pos = torch.where(tt == 1, torch.cumsum(tt, 1) - 1, torch.arange(ids.shape[1], device=ids.device)[None].expand_as(ids))
            h = s.bert.embeddings(input_ids=ids, token_type_ids=tt, position_ids=pos)
        full = mask[:, None, None, :].bool()
        apart = full & (tt[:, None, :, None] == tt[:, None, None, :])
        n = A.read_layer if task == 'read' and A.read_layer else A.layers
        layers = list(s.bert.encoder.layer)[:n]
        if own: layers = layers[:A.layers - A.own] + list(s.own)
        for k, layer in enumerate(layers):
            seen = apart if task == 'read' and k < A.split else full.expand(-1, -1, ids.shape[1], -1)
            o = layer(h, torch.zeros_like(seen, dtype=h.dtype).masked_fill(~seen, torch.finfo(torch.float16).min))
            h = o[0] if isinstance(o, tuple) else o
        return h
    def forward(s, task, ids, mask, tt):
        h = s.states(ids, mask, tt, task)
        part = mask * (1 - tt) if task == 'keep' else mask
        m = part.unsqueeze(-1).to(h.dtype); mean = (h * m).sum(1) / m.sum(1)
        if task == 'vector': return F.normalize(mean.float(), dim=-1)
        return getattr(s, task)(s.drop(torch.cat([h[:, 0], mean], -1))).float()

opener = gzip.open if A.examples.endswith('.gz') else open
rows = [json.loads(l) for l in opener(A.examples, 'rt')]
names = {t: sorted({r['project'] for r in rows if r['task'] == t}) for t in ('keep', 'read', 'relate')}
listed = set(A.held.split(',')) if A.held else None
def held(p): return p in listed if listed is not None else zlib.crc32(p.encode()) % 5 == A.fold
train = defaultdict(list); test = defaultdict(list)
def used(p): return zlib.crc32(('share ' + p).encode()) % 1000 < A.share * 1000
for r in rows:
    if held(r['project']): test[r['task']].append(r)
    elif used(r['project']): train[r['task']].append(r)
memories = sorted({m for r in train['read'] for m in r['memories']})
texts = sorted({r['a'].split(': ', 1)[-1] for r in train['keep']} | {r['a'] for r in train['read']} | set(memories))
train['vector'] = texts; test['vector'] = sorted({r['a'].split(': ', 1)[-1] for r in test['keep']} | {r['a'] for r in test['read']})[:2000]
print({t: (len(train[t]), len(test[t])) for t in train}, 'held projects', len([p for p in names['keep'] if held(p)]), len([p for p in names['read'] if held(p)]), flush=True)

teacher = load_base(A.base, 6).to(dev).eval()
@torch.no_grad()
def teach(pairs):
    ids, mk, tt = batch(pairs)
    h = teacher(input_ids=ids, attention_mask=mk, token_type_ids=tt).last_hidden_state
    m = mk.unsqueeze(-1).to(h.dtype)
    return F.normalize(((h * m).sum(1) / m.sum(1)).float(), dim=-1)

SIZE = {'keep': 64, 'relate': 64, 'read': 12, 'vector': 64}
rng = random.Random(A.seed)
def relate_items():
    pos = [r for r in train['relate'] if r['label'] != 'nothing']; none = [r for r in train['relate'] if r['label'] == 'nothing']
    rng.shuffle(none)
    ends = [r for r in pos if r['label'] != 'same']; same = [r for r in pos if r['label'] == 'same']
    return ends * 3 + same + none
def batches(task):
    items = relate_items() if task == 'relate' else list(train[task]); rng.shuffle(items)
    return [(task, items[i:i + SIZE[task]]) for i in range(0, len(items), SIZE[task])]

W = torch.ones(len(RELATE), device=dev)
def loss_of(m, task, items):
    with torch.autocast('cuda', dtype=torch.bfloat16):
        if task == 'keep':
            z = m('keep', *batch([encode('keep', r['a'], r['b']) for r in items]))
            y = torch.tensor([float(r['kind'] not in ('none', 'part')) for r in items], device=dev)
            w = torch.tensor([.0 if r['kind'] == 'part' else 1. for r in items], device=dev)
            kind = torch.tensor([KINDS.index(r['kind']) if r['kind'] in KINDS else -100 for r in items], device=dev)
            bce = (F.binary_cross_entropy_with_logits(z[:, 0], y, reduction='none', pos_weight=torch.tensor(A.pos, device=dev)) * w).sum() / len(items)
            return bce + (.5 * F.cross_entropy(z[:, 1:], kind, label_smoothing=.05) if (kind >= 0).any() else 0)
        if task == 'relate':
            z = m('relate', *batch([encode('relate', r['a'], r['b']) for r in items]))
            return F.cross_entropy(z, torch.tensor([RELATE.index(r['label']) for r in items], device=dev), weight=W)
        if task == 'vector':
            pairs = [encode('vector', t) for t in items]
            return A.vector_weight * (1 - (m('vector', *batch(pairs)) * teach(pairs)).sum(-1)).mean()
        pairs = []; lab = []; own = []
        for k, r in enumerate(items):
            for t, y in zip(r['memories'], r['labels']): pairs.append(encode('read', r['a'], t)); lab.append(y); own.append(k)
        lab = torch.tensor(lab, device=dev); own = torch.tensor(own, device=dev); n = len(items)
        s = m('read', *batch(pairs)).squeeze(-1); ok = lab >= 0; y = (lab == 1).float()
        bce = (F.binary_cross_entropy_with_logits(s, y, reduction='none') * ok).sum() / n
        ex = torch.exp(torch.where(ok, s, torch.full_like(s, -1e4)).clamp(max=30))
        Z = 1 + torch.zeros(n, device=dev).index_add(0, own, ex); P = torch.zeros(n, device=dev).index_add(0, own, ex * y)
        has = torch.zeros(n, device=dev).index_add(0, own, y) > 0
        return .3 * bce + torch.where(has, -torch.log((P + 1e-6) / Z), torch.log(Z)).mean()

def fit():
    m = Model().to(dev)
    if A.freeze:
        for p in m.bert.parameters(): p.requires_grad_(False)
    no = ['bias', 'LayerNorm']
    opt = torch.optim.AdamW([{'params': [p for n, p in m.named_parameters() if p.requires_grad and not any(x in n for x in no)], 'weight_decay': .01},
                             {'params': [p for n, p in m.named_parameters() if p.requires_grad and any(x in n for x in no)], 'weight_decay': 0.}], lr=A.lr)
    per = sum(len(batches(t)) for t in TASKS); steps = int(per * A.epochs)
    sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / (.06 * steps)) * max(0, 1 - s / steps))
    t0 = time.time(); done = 0; ep = 0
    while done < steps:
        todo = [b for t in TASKS for b in batches(t)]; rng.shuffle(todo); tot = defaultdict(list); m.train()
        for task, items in todo:
            if done >= steps: break
            loss = loss_of(m, task, items)
            opt.zero_grad(set_to_none=True); loss.backward(); torch.nn.utils.clip_grad_norm_(m.parameters(), 1.); opt.step(); sch.step(); done += 1
            tot[task].append(float(loss.detach()))
        ep += 1
        print('epoch', ep, {t: round(sum(v) / len(v), 3) for t, v in tot.items()}, round(time.time() - t0), 's', flush=True)
    return m

@torch.no_grad()
def scores(m, task, pairs):
    m.eval(); out = []
    for i in range(0, len(pairs), 256):
        with torch.autocast('cuda', dtype=torch.bfloat16): out.append(m(task, *batch(pairs[i:i + 256])).cpu())
    return torch.cat(out).numpy()

def report_keep(m):
    te = test['keep']
    if not te: return
    z = scores(m, 'keep', [encode('keep', r['a'], r['b']) for r in te]); p = 1 / (1 + np.exp(-z[:, 0]))
    keeps = {(r['project'], r['turn'], k) for r in te for k in r['keeps']}
    for thr in (.9, .8, .7, .6, .5, .4, .3, .2):
        sel = [i for i in range(len(te)) if p[i] > thr]
        got = {(te[i]['project'], te[i]['turn'], k) for i in sel for k in te[i]['keeps']}
        wrong = sum(te[i]['kind'] == 'none' for i in sel); part = sum(te[i]['kind'] == 'part' for i in sel)
        other = sum(te[i]['kind'] == 'none' and not any(r['keeps'] for r in te if r['project'] == te[i]['project'] and r['turn'] == te[i]['turn']) for i in sel) if thr in (.8, .5, .3) else -1
        right = [i for i in sel if te[i]['keeps']]
        kind = np.mean([KINDS[int(z[i, 1:].argmax())] == te[i]['kind'] for i in right]) if right else 0
        print(f'keep thr {thr}: found {len(got)}/{len(keeps)} = {len(got)/len(keeps):.2f}; taken {len(sel)}, part {part}, wrong {wrong} = {wrong/max(1,len(sel)):.2f} (in empty turns {other}); kind {kind:.2f}', flush=True)
    if A.scores: json.dump([dict(project=r['project'], turn=r['turn'], at=r['at'], p=round(float(x), 4), z=[round(float(v), 3) for v in zz]) for r, x, zz in zip(te, p, z)], open(A.scores, 'w'))

def report_relate(m):
    te = test['relate']
    if not te: return
    z = scores(m, 'relate', [encode('relate', r['a'], r['b']) for r in te]); e = np.exp(z - z.max(1, keepdims=True)); p = e / e.sum(1, keepdims=True)
    end = p[:, 2] + p[:, 3]; isend = np.array([r['label'] in ('supersedes', 'resolves') for r in te]); same = np.array([r['label'] == 'same' for r in te])
    for thr in (.3, .5, .7, .9):
        sel = end > thr
        print(f'relate end thr {thr}: found {(sel & isend).sum()}/{isend.sum()}; wrong {(sel & ~isend).sum()} of {(~isend).sum()}', flush=True)
    print('relate accuracy', round(float(np.mean([RELATE[i] == r['label'] for i, r in zip(z.argmax(1), te)])), 3), 'same found', int((p[same, 1] > .5).sum()), '/', int(same.sum()), 'same wrong', int((p[~same, 1] > .5).sum()))

def report_read(m):
    te = test['read']
    if not te: return
    s = scores(m, 'read', [encode('read', r['a'], t) for r in te for t in r['memories']])[:, 0]
    k = 0; per = []
    for r in te: per.append(s[k:k + len(r['memories'])]); k += len(r['memories'])
    wants = [any(y == 1 for y in r['labels']) for r in te]
    none = sorted([max(x) for x, w in zip(per, wants) if not w], reverse=True)
    for false in (.03, .05, .10, .15):
        fl = none[int(len(none) * false)]
        hit = sum(any(r['labels'][i] == 1 and x[i] > fl for i in np.argsort(-x)[:3]) for r, x, w in zip(te, per, wants) if w)
        print(f'read at {false:.2f} false: recall {hit / sum(wants):.3f}', flush=True)

def report_vector(m):
    te = test['vector']
    pairs = [encode('vector', t) for t in te]
    cos = np.concatenate([(torch.tensor(scores(m, 'vector', pairs[i:i + 256])).to(dev) * teach(pairs[i:i + 256])).sum(-1).cpu().numpy() for i in range(0, len(pairs), 256)])
    print(f'vector cosine with the base: mean {cos.mean():.4f}, 1st percentile {np.percentile(cos, 1):.4f}', flush=True)

@torch.no_grad()
def write_check(m):
    """Inputs of held-out projects (or of any, if none is held out) with what the model says in 32 bit."""
    pick = random.Random(7); m.eval(); out = []
    for task in ('keep', 'relate', 'read', 'vector'):
        rows = pick.sample(test[task] or train[task], 200)
        for r in rows:
            a, b = (r, '') if task == 'vector' else (r['a'], pick.choice(r['memories']) if task == 'read' else r['b'])
            ids, types = encode(task, a, b)
            out.append(dict(task=task, a=a, b=b, ids=ids, types=types, out=[round(float(x), 5) for x in m(task, *batch([(ids, types)]))[0]]))
    with gzip.open(A.check, 'wt') as file: json.dump(out, file)

m = fit()
if 'keep' in TASKS: report_keep(m)
if 'relate' in TASKS: report_relate(m)
if 'read' in TASKS: report_read(m)
report_vector(m)
if A.check: write_check(m)
if A.out:
    # A frozen base is not written: the export reads it from the base weights.
    learnt = {k: v for k, v in m.state_dict().items() if not (A.freeze and k.startswith('bert.'))}
    np.savez(A.out, **{k: v.half().cpu().numpy() for k, v in learnt.items()})
