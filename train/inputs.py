"""The examples of examples.ts, and how a text becomes the input of a model."""
import gzip, json, zlib
from collections import defaultdict
from itertools import chain
import numpy as np, torch
from transformers import BertTokenizerFast

KINDS = ['decision', 'preference', 'discovery', 'dead_end', 'issue', 'bugfix', 'feature', 'refactor', 'pattern']
RELATIONS = ['nothing', 'same', 'supersedes', 'resolves']
# Word pieces of the vocabulary that no text contains.
MARK = {'keep': 1, 'relate': 2, 'read': 3}
LIMIT = {'keep': 384, 'relate': 128, 'read': 96, 'vector': 128}
# Word pieces of what is around a passage, and of one sentence of it.
ABOUT, SENTENCE = 72, 96
DEVICE = 'cuda'


class Encoder:
    """Must stay identical to src/models/small/_encode.ts."""

    def __init__(self, vocab):
        self.tokenizer = BertTokenizerFast(vocab, do_lower_case=True)
        self.known = {}

    def ids_of(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer(text[:1600], add_special_tokens=False)['input_ids']
        return self.known[text]

    def learn(self, texts):
        """Takes many texts at once, which is quicker."""
        texts = list({text for text in texts if text not in self.known})
        for start in range(0, len(texts), 4096):
            part = texts[start:start + 4096]
            found = self.tokenizer([text[:1600] for text in part], add_special_tokens=False)['input_ids']
            self.known |= dict(zip(part, found))

    def __call__(self, task, a, b=''):
        """[CLS] mark a [SEP] b [SEP]; a vector's text has neither mark nor second part. Returns ids and types."""
        a, b, limit = self.ids_of(a), self.ids_of(b), LIMIT[task]
        if task == 'vector':
            a = a[:limit - 2]
            return [101] + a + [102], [0] * (len(a) + 2)
        most = limit // 2 if task == 'read' else 80
        a = shortened(a, most)
        b = b[:limit - 4 - len(a)]
        return [101, MARK[task]] + a + [102] + b + [102], [0] * (len(a) + 3) + [1] * (len(b) + 1)

    def passage(self, about, sentences):
        """[CLS] mark about [SEP] sentence [SEP] sentence [SEP] … Returns ids, types, and where each sentence is."""
        about, most = self.ids_of(about)[:ABOUT], SENTENCE
        while True:
            parts = [shortened(self.ids_of(text), most) + [102] for text in sentences]
            if len(about) + 3 + sum(map(len, parts)) <= LIMIT['keep'] or most <= 4:
                break
            most = most * 3 // 4
        ids, spans = [101, MARK['keep']] + about + [102], []
        types = [0] * len(ids)
        for part in parts:
            spans.append((len(ids), len(ids) + len(part)))
            ids += part
            types += [1] * len(part)
        return ids, types, spans


def shortened(ids, most):
    """Keeps the first two thirds of the limit and the last third."""
    return ids if len(ids) <= most else ids[:most * 2 // 3] + ids[-(most - most * 2 // 3):]


def parts_of(row):
    """What is read of a prompt with each memory of its project: all, or of a long one what belongs to the memory."""
    return row.get('parts', [row['a']] * len(row['memories']))


def padded(inputs):
    """ids, mask, types, padded to a common length."""
    lengths = np.array([len(one[0]) for one in inputs])[:, None]
    at = np.arange((lengths.max() + 7) // 8 * 8)
    mask = at < lengths
    out = np.zeros((3, *mask.shape), np.int32)
    out[0][mask] = np.fromiter(chain.from_iterable(one[0] for one in inputs), np.int32)
    out[1] = mask
    out[2][mask] = np.fromiter(chain.from_iterable(one[1] for one in inputs), np.int32)
    return out


def spans_of(passages):
    """Of each sentence of a batch of passages: its passage, its first token, and the one after its last."""
    rows = [(k, start, end) for k, (_, _, spans) in enumerate(passages) for start, end in spans]
    return np.array(rows, np.int64).T


def batch(inputs, task):
    """What a model is called with."""
    given = torch.from_numpy(padded(inputs)).to(DEVICE).long().unbind()
    return [*given, torch.from_numpy(spans_of(inputs)).to(DEVICE).unbind()] if task == 'keep' else given


def texts_of(rows):
    """Every text of the examples, for Encoder.learn."""
    for task, some in rows.items():
        for row in some:
            if task == 'keep':
                yield from (row['about'], *row['sentences'])
            elif task == 'relate':
                yield from (row['a'], row['b'])
            else:
                yield from (row['a'], *row.get('parts', []), *row['memories'], *row.get('foreign', []))


def encoded(encode, task, rows):
    return [encode.passage(row['about'], row['sentences']) if task == 'keep' else encode(task, row['a'], row['b']) for row in rows]


def sentences_of(rows):
    """The labelled sentences of passages, each with its index among all sentences of these passages."""
    every = ((row, unit) for row in rows for unit in row['units'])
    return [(i, {'project': row['project'], 'turn': row['turn'], **unit}) for i, (row, unit) in enumerate(every) if unit]


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
