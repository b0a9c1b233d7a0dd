"""Checks the form of the training data: fields, exact quotes, ids, labels.

  python3 train/check-data.py [folder]    (default: train/data)
"""
import glob, json, os, sys

KINDS = {'decision', 'preference', 'discovery', 'dead_end', 'issue', 'bugfix', 'feature', 'refactor', 'pattern'}
LABELS = {'same', 'supersedes', 'resolves', 'nothing'}
faults = []


def sessions(data, fault):
    turns = {f"{s['id']}.{i}": t for s in data['sessions'] for i, t in enumerate(s['turns'], 1)}
    order = list(turns)
    for name, turn in turns.items():
        if not all(isinstance(turn.get(who), str) for who in ('user', 'assistant')):
            fault(f'{name} needs user and assistant')
        if any(not {'name', 'input', 'output'} <= set(tool) for tool in turn.get('tools', [])):
            fault(f'{name} has a tool without name, input or output')
    ids = {keep['id'] for keep in data['keep']}
    end = data['end']
    for keep in data['keep']:
        turn, name = turns.get(keep['turn']), keep['id']
        if turn is None:
            fault(f'{name}: no such turn')
            continue
        said = turn['user'] + '\n' + turn['assistant'] if keep['who'] == 'both' else turn[keep['who']]
        if keep['quote'] not in said:
            fault(f"{name}: the quote is not what {keep['who']} said")
        if keep['kind'] not in KINDS:
            fault(f"{name}: unknown kind {keep['kind']}")
        if ('until' in keep) + (name in end['open']) + (name in end['holds']) != 1:
            fault(f'{name} must be exactly one of ended, open, in force')
        if 'until' in keep and (keep['until'] not in order or order.index(keep['until']) < order.index(keep['turn'])):
            fault(f'{name}: it ends before it begins')
        if 'by' in keep and (keep['by'] not in ids or 'until' not in keep):
            fault(f'{name}: `by` names no label, or it has no end')
    for name in end['open'] + end['holds']:
        if name not in ids:
            fault(f'the end names {name}, which does not exist')


def relevance(data, fault):
    ids = [memory['id'] for memory in data['memories']]
    if len(ids) != len(set(ids)):
        fault('two memories have one id')
    for memory in data['memories']:
        if memory['kind'] not in KINDS:
            fault(f"{memory['id']}: unknown kind")
    for i, prompt in enumerate(data['prompts']):
        wants, maybe = prompt.get('wants') or [], prompt.get('maybe') or []
        if not set(wants + maybe) <= set(ids) or set(wants) & set(maybe):
            fault(f'prompt {i} names an unknown memory, or one twice')


def relate(data, fault):
    for i, pair in enumerate(data):
        if pair['label'] not in LABELS or pair['old']['kind'] not in KINDS or not pair['old']['title']:
            fault(f'pair {i}: label, kind or title')
        if not pair['new'].startswith(('user: ', 'assistant: ')):
            fault(f'pair {i}: who says it?')


root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), 'data')
for folder, check in (('sessions', sessions), ('relevance', relevance), ('made/relevance', relevance), ('relate', relate)):
    files = sorted(glob.glob(os.path.join(root, folder, '*.json')))
    for path in files:
        with open(path, encoding='utf8') as file:
            check(json.load(file), lambda text, path=path: faults.append(f'{os.path.basename(path)}: {text}'))
    print(f'{folder}: {len(files)} files')
print('\n'.join(faults) or 'no faults')
sys.exit(1 if faults else 0)
