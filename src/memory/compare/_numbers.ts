/**
 * Finds the numbers of a title. A number that belongs to a name (`db1`, `shard-1`, "Phase 2", `#412`) identifies a thing; a
 * number that is a value ("60 s", "limit 100") is what a title says about it. Pure.
 */

export interface Value {
  /** In the base unit of its dimension: `15 minutes` → 900. */
  readonly amount: string;
  /** Without its unit: `15 minutes` → 15. */
  readonly number: string;
  readonly dimension: 'time' | 'size' | 'percent' | '';
  /** A known unit, or words that show that it is no part of a name. */
  readonly sure: boolean;
  /** The title gives it as the former value: "600 s instead of 60", "60 → 600 s". */
  readonly former: boolean;
}

export interface Numbers {
  /** `db1`, `shard1`, `phase 2`, `#412` */
  readonly names: ReadonlySet<string>;
  readonly values: readonly Value[];
  /** The title without the values and the words that announce a former value. */
  readonly rest: string;
}

const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;

type Unit = readonly [dimension: 'time' | 'size' | 'percent', factor: number];
const units = (dimension: Unit[0], factor: number, names: string): readonly (readonly [string, Unit])[] =>
  names.split(' ').map((name) => [name, [dimension, factor]]);
const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...units('time', 0.001, 'ms millisecond milliseconds millisekunden мс 毫秒'),
  ...units(
    'time',
    1,
    's sec secs second seconds sekunde sekunden seconde secondes segundo segundos с сек секунд секунды 秒',
  ),
  ...units('time', 60, 'min mins minute minutes minuten minuto minutos мин минут минуты 分钟 分'),
  ...units(
    'time',
    3600,
    'h hr hrs hour hours stunde stunden heure heures hora horas ч час часа часов 小时 時間',
  ),
  ...units('time', 86_400, 'd day days tag tage tagen jour jours día días dia dias день дня дней 天 日'),
  ...units(
    'time',
    604_800,
    'week weeks woche wochen semaine semaines semana semanas неделя недели недель 周 週間',
  ),
  ...units(
    'time',
    2_592_000,
    'month months monat monate monaten mois mes meses месяц месяца месяцев 个月 か月',
  ),
  ...units('time', 31_536_000, 'year years jahr jahre jahren an ans año años ano anos год года лет 年'),
  ...units('size', 1, 'b byte bytes'),
  ...units('size', 1024, 'kb kib ki'),
  ...units('size', 1024 ** 2, 'mb mib mi мб'),
  ...units('size', 1024 ** 3, 'gb gib gi гб'),
  ...units('size', 1024 ** 4, 'tb tib ti'),
  ...units('percent', 1, '% percent prozent процентов'),
]);

const AMOUNT = String.raw`[$€£¥]?\d+(?:[.,:_]\d+)*(?:e[+-]?\d+)?`;
const COUNTED_WORDS: ReadonlyMap<string, number> = new Map(
  'one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, i) => [word, i + 1]),
);
/** "every hour", "an hour", "three days": an amount in words, before a unit of time. */
const IN_WORDS =
  /(?<![\p{L}\p{N}])(?<word>an?|every|each|per|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -](?<unit>second|minute|hour|day|week|month|year)s?(?![\p{L}\p{N}])/giu;

/** Nouns whose number is a name: "Phase 2", "step 3", "Abschnitt 4", "шаг 2". */
const NUMBERED = [
  'phase stage step section chapter appendix milestone sprint iteration epic story task todo item option variant tier lane',
  'server node shard partition replica worker instance cluster machine rack room zone region slot channel bus gpu cpu core',
  'disk volume bucket topic migration rev revision version api schema figure fig line question case scenario experiment job',
  'adr rfc week quarter customer tenant team unit world sensor device station building site incident',
  'stufe schritt abschnitt kapitel teil knoten filiale aufgabe meilenstein woche tabelle regel',
  'étape etape partie chapitre nœud noeud serveur tâche agence fase paso sección seccion capítulo parte nodo servidor tarea',
  'etapa passo seção tarefa nó фаза фазы фазе этап этапа этапе шаг шага шаге раздел разделе сервер сервере узел узле шард',
  'шарде магазин цех',
]
  .join(' ')
  .replaceAll(' ', '|');
/** The same, but as the first word and before a plural they are verbs: "Store 5 backups". */
const NOUN_OR_VERB =
  'store|host|run|build|queue|group|plan|track|page|box|round|release|part|rule|table|pin|wave|board|model';
/** They are names only as the subject: "Port 22 is closed", but "zstd level 9". */
const FIRST_ONLY = 'level|port|line|rule';
const TICKET = 'issue|ticket|bug|pr|mr|pull request|merge request|тикет|задача';
const IS_TICKET = new RegExp(`^(?:${TICKET})$`, 'iu');
const IS_VERB_TOO = new RegExp(`^(?:${NOUN_OR_VERB})$`, 'iu');
const CLASSIFIED = new RegExp(
  String.raw`(?<=^|[^\p{L}\p{N}_])(?<noun>${NUMBERED}|${NOUN_OR_VERB}|${TICKET}|(?<=^(?:the )?)(?:${FIRST_ONLY}))(?<plural>s?)(?: |_|no\. ?| ?# ?| ?№ ?)#?(?<id>\d+(?:[.-]\d+)*|[A-Z]|[IVX]{1,4})(?![\p{L}\p{N}_%]|[.,:]\d)(?<more>(?:(?:, | and | und | et | y | e | и | & |\/)\d+)*)`,
  'giu',
);
const CJK_NUMBERED =
  /第[一二三四五六七八九十\d]+(?:阶段|階段|步|章|节|期|段階|版|条|回目|フェーズ)|(?:阶段|步骤|节点|分片|服务器|主机|版本|机房|门店|フェーズ|ステップ|シャード|ノード|サーバー?|手順|バージョン|店舗)\s?\d+/gu;

/** A word with letters and digits: `db1`, `cache-18`, `v2`, `JIRA-12`, `sha256`, `db1:5432`. */
const TOKEN = new RegExp(
  String.raw`(?<=^|[^\p{L}\p{N}_]|[${CJK}])(?:(?![${CJK}])[\p{L}\p{N}_#@§№$€£¥%°.:/+'-])*\d(?:(?![${CJK}])[\p{L}\p{N}_%°.:/+-])*`,
  'gu',
);

/** Words before a number that is a value. */
const BEFORE_VALUE =
  /(?:[=:→>≤≥<~≈]|(?<![\p{L}\p{N}])(?:is|are|at|to|of|by|after|every|per|within|over|under|below|above|than|for|from|most|least|up|stays?|about|limit|max|maximum|min|minimum|ttl|timeout|size|level|rate|retries|depth|count|threshold|quota|interval|window|delay|age|width|height|length|concurrency|replicas|workers|threads|connections|budget|keep|retry|admit|allow|cache|show|send|hold|wait|return|fetch|load|set|accept|split|batch|poll|not|instead of|ist|auf|von|nach|alle|bei|höchstens|maximal|statt|est|à|de|toutes les|limite|es|a|cada|tras|em|até|до|на|в|по|каждые|через|лимит|не более|limit of)|[为是到超每は上限]|上限|最多)\s*$/iu;
/** Something that is counted: "3 times", "4 attempts", "20 rows". */
const AFTER_VALUE =
  /^\s?(?:(?:\p{L}{3,}s|times|mal|fois|veces|vezes|раза?|попыт\p{L}*|строк\p{L}*)(?![\p{L}\p{N}])|[次回行件个個人台°])/iu;

/** A program listens on one port, but many rules may name ports. */
const OWN_PORT =
  /(?:listen|run|serv|start|bind|lausch|läuft|hört|écoute|tourne|escucha|corre|слуша|работа)\p{L}* .{0,20}(?:port|puerto|порту?) $|监听\s?(?:端口)?\s?$/iu;

const FORMER =
  /(?:instead of(?: every)?|rather than|not|previously|formerly|was|were|(?<![\p{L}])from|statt(?: bisher)?|anstatt|vorher|bisher|von|au lieu (?:de|d['’])|avant|en (?:lugar|vez) de|antes|em vez de|вместо|раньше|было|с|原来是|原来|而不是|从|由|元は|以前は)\s*$/iu;
const ARROW = /^\s*(?:[\p{L}%]{1,8}\s*)?(?:→|->|=>|⟶)/u;
const FORMER_AFTER = /^\s*(?:[\p{L}%]{1,8}\s*)?(?:から|ではなく|の代わり)/u;
/** "from 30 to 90 seconds" is a change only if a second value follows. */
const RANGE_WORD = /(?:(?<![\p{L}])(?:from|von|de|с)|从|由)\s*$/iu;
const SECOND_VALUE = /^\s*[\p{L}%]{0,8}\s*(?:to|auf|zu|à|a|para|на|до|到|改为|改成|に|→|->)\s*[$€£¥]?\d/iu;

export function numbersOf(title: string): Numbers {
  const names = new Set<string>();
  const values: Value[] = [];
  let text = title.normalize('NFKC').replaceAll('`', '');
  const blank = (match: string): string => ' '.repeat(match.length);
  text = text.replace(CLASSIFIED, (match, ...groups) => {
    const [at, , parts] = groups.slice(-3) as [number, string, Record<string, string | undefined>];
    const { noun = '', plural = '', id = '', more = '' } = parts;
    const after = text.slice(at + match.length);
    if (!/\d/.test(id) && !/^[A-ZIVX]+$/.test(id)) return match;
    if ((plural !== '' && more === '') || isUnit(after)) return match;
    if (at > 0 && noun === 'Node') return match; // the runtime: "Use Node 22"
    if (at === 0 && IS_VERB_TOO.test(noun) && AFTER_VALUE.test(after)) return match;
    const family = IS_TICKET.test(noun) ? '#' : `${noun.toLowerCase()} `;
    for (const one of [id, ...(more.match(/\d+/g) ?? [])]) names.add(`${family}${one.toLowerCase()}`);
    return noun + ' '.repeat(match.length - noun.length);
  });
  text = text.replace(CJK_NUMBERED, (match) => {
    names.add(match.replace(/\s/g, ''));
    return blank(match);
  });
  const found = new Map<number, { readonly length: number; readonly value: Value }>();
  for (const match of text.matchAll(TOKEN)) {
    const at = match.index;
    const token = match[0].replace(/[.:/+'-]+$/, '');
    for (const { start, part } of assignments(token)) {
      const value = valueAt(text, at + start, part);
      if (value) found.set(at + start, value);
      else if (part.length > 0) names.add(part.toLowerCase().replace(/[_-]/g, ''));
    }
  }
  for (const match of text.matchAll(IN_WORDS)) {
    const { word = '', unit = '' } = match.groups ?? {};
    const [dimension, factor] = UNITS.get(unit.toLowerCase()) ?? ['time', 1];
    const count = COUNTED_WORDS.get(word.toLowerCase()) ?? 1;
    const amount = String(count * factor);
    const former = FORMER.test(text.slice(0, match.index));
    found.set(match.index, {
      length: match[0].length,
      value: { amount, number: String(count), dimension, sure: true, former },
    });
  }
  let rest = text;
  for (const [at, { length, value }] of found) {
    values.push(value);
    rest = rest.slice(0, at) + ' '.repeat(length) + rest.slice(at + length);
  }
  return { names, values, rest };
}

function isUnit(after: string): boolean {
  return UNITS.has(/^\s?(%|\p{L}+)/u.exec(after)?.[1]?.toLowerCase() ?? '');
}

/** `max-age=60` says that max-age is 60; other tokens stay whole. */
function assignments(token: string): readonly { readonly start: number; readonly part: string }[] {
  const at = token.lastIndexOf('=');
  if (at < 0) return [{ start: 0, part: token }];
  return [{ start: at + 1, part: token.slice(at + 1) }];
}

const WHOLE = new RegExp(String.raw`^[+~-]?(?<amount>${AMOUNT})[-]?(?<unit>[\p{L}%°]*)$`, 'u');
const ORDINAL = /^(?:st|nd|rd|th|xx)$/;

/** Returns the value at a place of the title, undefined if it is a name. */
function valueAt(
  text: string,
  at: number,
  token: string,
): { readonly length: number; readonly value: Value } | undefined {
  const { amount, unit = '' } = WHOLE.exec(token)?.groups ?? {};
  if (amount === undefined || ORDINAL.test(unit) || /^0\d/.test(amount) || /^x\d/i.test(token))
    return undefined;
  const before = text.slice(0, at);
  const after = text.slice(at + token.length);
  const next =
    unit === '' ? /^\s?(%|[\p{L}]+|[秒分天日周年]|分钟|小时|時間|週間|个月|か月)/u.exec(after)?.[1] : unit;
  const cjk = unit === '' ? /^\s?(毫秒|分钟|小时|時間|週間|个月|か月|秒|分|天|日|周|年)/u.exec(after) : null;
  const name = (cjk?.[1] ?? next ?? '').toLowerCase();
  const known = UNITS.get(name) ?? inherited(after);
  const own = unit === '' && UNITS.has(name) ? (cjk?.[0] ?? ` ${name}`).length : 0;
  const factor = known?.[1] ?? 1;
  const plain = Number(
    amount
      .replace(/^[$€£¥]/, '')
      .replace(/,(?=\d{3}(?!\d))/g, '')
      .replace(',', '.'),
  );
  const isFormer =
    ARROW.test(after) ||
    FORMER_AFTER.test(after) ||
    (FORMER.test(before) && (!RANGE_WORD.test(before) || SECOND_VALUE.test(after)));
  return {
    length: token.length + own,
    value: {
      amount: Number.isNaN(plain) ? amount : String(Number((plain * factor).toPrecision(12))),
      number: Number.isNaN(plain) ? amount : String(plain),
      dimension: known?.[0] ?? '',
      sure:
        known !== undefined ||
        unit !== '' ||
        BEFORE_VALUE.test(before) ||
        OWN_PORT.test(before) ||
        (AFTER_VALUE.test(after) && /\s/.test(before.trimEnd())),
      former: isFormer,
    },
  };
}

/** Returns the unit of the next value: "60 → 600 s", "from 30 to 90 seconds". */
function inherited(after: string): Unit | undefined {
  const next = new RegExp(
    String.raw`^\s*(?:→|->|=>|to|auf|zu|à|a|на|до|到|改为|改成|から)\s*${AMOUNT}\s?([\p{L}%]+)`,
    'iu',
  ).exec(after);
  return next?.[1] === undefined ? undefined : UNITS.get(next[1].toLowerCase());
}
