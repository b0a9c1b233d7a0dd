"""The examples of examples.ts, and how a text becomes the input of a model."""
import gzip, json, random, zlib
from collections import defaultdict
from itertools import chain
import numpy as np, torch
from transformers import BertTokenizerFast

KINDS = ['decision', 'preference', 'discovery', 'dead_end', 'issue', 'bugfix', 'feature', 'refactor', 'pattern']
RELATIONS = ['nothing', 'same', 'supersedes', 'resolves']
# Word pieces of the vocabulary that no text contains.
MARK = {'keep': 1, 'relate': 2, 'read': 3}
LIMIT = {'keep': 144, 'relate': 128, 'read': 96, 'vector': 128}
DEVICE = 'cuda'
# A teacher reads a prompt of this length as a whole.
WHOLE_CHARS = 400


class Encoder:
    """Must stay identical to src/models/small/_encode.ts. `wide` doubles the limits, for a teacher."""

    def __init__(self, vocab, wide=False):
        self.tokenizer = BertTokenizerFast(vocab, do_lower_case=True)
        self.known, self.wide = {}, wide

    def ids_of(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer(text[:1600], add_special_tokens=False)['input_ids']
        return self.known[text]

    def __call__(self, task, a, b=''):
        """[CLS] mark a [SEP] b [SEP]; a vector's text has neither mark nor second part. Returns ids and types."""
        a, b, limit = self.ids_of(a), self.ids_of(b), LIMIT[task]
        if task == 'vector':
            a = a[:limit - 2]
            return [101] + a + [102], [0] * (len(a) + 2)
        most = limit // 2 if task == 'read' else 80
        if self.wide and task == 'read':
            limit, most = 2 * limit, 2 * most
        if len(a) > most:
            a = a[:most * 2 // 3] + a[-(most - most * 2 // 3):]
        b = b[:limit - 4 - len(a)]
        return [101, MARK[task]] + a + [102] + b + [102], [0] * (len(a) + 3) + [1] * (len(b) + 1)


def parts_of(row, encode):
    """What is read of a prompt with each memory of its project: all, or of a long one what belongs to the memory."""
    whole = [row['a']] * len(row['memories'])
    return whole if encode.wide and len(row['a']) <= WHOLE_CHARS else row.get('parts', whole)


def batch(pairs):
    """ids, mask, types, padded to a common length."""
    lengths = np.array([len(ids) for ids, _ in pairs])[:, None]
    at = np.arange((lengths.max() + 7) // 8 * 8)
    mask = at < lengths
    out = np.zeros((3, *mask.shape), np.int64)
    out[0][mask] = np.fromiter(chain.from_iterable(ids for ids, _ in pairs), np.int64)
    out[1] = mask
    out[2][mask] = np.fromiter(chain.from_iterable(types for _, types in pairs), np.int64)
    return torch.from_numpy(out).pin_memory().to(DEVICE, non_blocking=True).unbind()


def hash_of(text):
    return zlib.crc32(text.encode())


def read_examples(path, fold, share=1.):
    """Examples by task: for training, held out, and blind. Projects are divided by the hash of their name."""
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt') as file:
        rows = [json.loads(line) for line in file]
    train, held, blind = (defaultdict(list) for _ in range(3))
    for row in rows:
        name = row['project']
        if name.startswith('t-'):
            blind[row['task']].append(row)
        elif hash_of(name) % 5 == fold:
            held[row['task']].append(row)
        elif hash_of('share ' + name) % 1000 < share * 1000:
            train[row['task']].append(row)
    return train, held, blind


def projects_in(rows):
    return {task: len({row['project'] for row in rows[task]}) for task in rows}


def add_nearest(rows, path):
    """Gives each prompt memories of other projects, from nearest.py."""
    with open(path) as file:
        found = json.load(file)
    for row, texts in zip(rows, found['rows']):
        row['foreign'] = [found['texts'][i] for i in texts]


def more_pairs(rows):
    """Pairs for *relate* without a label: a statement with another memory of its project. The same for every caller."""
    by_project = defaultdict(list)
    for row in rows:
        by_project[row['project']].append(row)
    pick = random.Random(5)
    return [{'task': 'relate', 'project': name, 'a': row['a'], 'b': pick.choice(own)['b'], 'label': None}
            for name, own in by_project.items() for row in own]
