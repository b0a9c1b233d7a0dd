/**
 * Labels of real turns, drawn by seed: one turn from each of 32 recorded sessions of getspecstory, 13 from transcripts of
 * session-share. The turns themselves are not in the repository; `bench/local.ts` finds them by key in the given files.
 */
import { maybe, want } from './_write.ts';
import type { Label, Wanted } from './label.ts';

const FOUND = 'issue|discovery|bugfix';
const SAID = 'decision|preference|pattern|dead_end';
const DONE = 'refactor|feature|bugfix';

export const realLabels: readonly Label[] = [
  coding(
    '42e2beef-b426-4e80-bbe8-fdb683ec4f38#18',
    want('refactor|bugfix', 'extractSlugFromBlobs|slug|duplicat'),
    maybe('discovery|decision|pattern', '@|special character|hash'),
  ),
  coding(
    '3cbbb142-750e-46d5-a92e-5d310accdadf#1',
    want(FOUND, 'printSessionsToStdout|validateSessionData|session-finding|--print|analytics|boolean param'),
    maybe(FOUND, 'validateSessionData'),
    maybe(FOUND, '--print|no-cloud-sync'),
    maybe(FOUND, 'analytics'),
    maybe(FOUND, 'boolean'),
    maybe(FOUND, 'test'),
  ),
  coding(
    'dd4fb067-317f-48c3-ba6f-1f3ed113a8ae#4',
    want(FOUND, 'duplicat|DRY|shared|markdown_tools|gitignore'),
    maybe(FOUND, 'gitignore'),
    maybe(FOUND, 'IIFE|convertToolCallToInfo'),
    maybe(FOUND, 'test|heuristic|KB'),
  ),
  coding('5c64fb2b-4950-4f78-8d1b-7a8848c5ef94#5', maybe(DONE, 'conflict')),
  coding(
    'cf853ff8-0729-4590-81dc-d2303ca87e74#17',
    maybe('decision|preference|feature', 'watch|session id|output'),
  ),
  coding(
    '21812dc2-8e1b-4a96-ad2e-6ee00b1c7499#52',
    want(SAID, 'OTEL|ENV'),
    want(
      `${DONE}|decision`,
      'no-?telemetry|IsTelemetryEnabled|endpoint|TelemetryConfig|OTEL_SDK_DISABLED|Enabled',
    ),
  ),
  coding(
    'ad763a7a-17f3-45dd-aa1c-862ac1c1f6b1#1',
    want(
      FOUND,
      'extractFirstUserMessage|extractSlugFromBlobs|empty output|listSingleProvider|string matching|ReadSessionData|GenerateReadableName|truncation',
    ),
    maybe(FOUND, 'empty output|listSingleProvider|inconsisten'),
    maybe(FOUND, 'string matching|sentinel|Codex'),
    maybe(FOUND, 'lightweight|ReadSessionData'),
    maybe(FOUND, 'byte|truncat|unicode'),
    maybe(FOUND, 'test'),
  ),
  coding(
    'a01e7312-22ab-470d-b129-94bd0d233314#12',
    want(DONE, 'ProcessingOptions|options struct|ProcessSingleSession'),
    maybe('decision', 'ctx|direct param|struct'),
  ),
  coding(
    '8bda05a6-149b-4fd3-b417-985bf1623e7e#33',
    want(SAID, 'GetStatisticsPath|path_utils|join|stats ?path'),
    maybe(DONE, 'GetStatisticsPath|collector|path'),
  ),
  coding(
    '4609269e-6a00-4f3a-9205-9a58263b5cdc#27',
    want(`${SAID}|discovery`, 'slog\\.Error|error-level|log level'),
  ),
  coding('55f9dd3b-f3b2-41f4-addf-b8e0dfdea753#1'),
  coding(
    '8fd5765e-f98e-45fc-908e-0cfa83ea52be#451',
    maybe(`${DONE}|decision`, 'SpecStory Search'),
    maybe('issue', 'reader|target|screen'),
  ),
  coding(
    '440e782d-4516-4753-bfcd-a409e7a1d8c0#1',
    want(FOUND, 'watch', 'compil|param|flag|timezone'),
    maybe(FOUND, 'binary|specstory_arm64'),
    maybe(FOUND, 'filename'),
    maybe(FOUND, 'test'),
    maybe(FOUND, 'options struct|param'),
  ),
  coding(
    '5477c499-8390-4244-86be-15a4836de7bf#0',
    want(FOUND, 'poll|waitForDirectory|fsnotify|log noise|noise'),
    maybe(`${SAID}|issue`, 'DEBUG'),
  ),
  coding('31937c85-83a2-46ed-b2c4-ea8d3bea8b87#16'),
  coding(
    'ca840fc9-f560-413f-acd5-249e54d818a6#11',
    want(`${SAID}|discovery|issue`, 'cli/config\\.toml|config path|config file'),
    maybe('issue', 'plan|update|reference'),
  ),
  coding(
    '5a12c1ed-83db-4a10-baf1-56c99799c539#0',
    want('feature|bugfix', 'project_root|findProjectDirByProjectRoot|Gemini'),
    maybe('discovery', 'Gemini|project_root'),
  ),
  coding(
    'fe715d5d-93de-4943-a6d7-7e80640fe191#42',
    want(SAID, 'adjacen|prefix'),
    want(DONE, 'ftsQuery|fieldTokens|poem\\.txt|punctuation|token|alnumWords|query'),
    maybe('discovery|issue', 'behavior change|adjacen|side effect'),
  ),
  coding('42a344c9-1ba3-453e-88d2-7aecf158d2af#39', maybe('discovery', 'GOPRIVATE|proxy')),
  coding(
    '88c7bc2a-43d2-459c-a1eb-718986828125#1',
    want(
      FOUND,
      'deterministicID|collision|msg\\.Timestamp|logging\\.go|lifecycle logging|flak|schema mismatch',
    ),
    maybe(FOUND, 'timestamp'),
    maybe(FOUND, 'logging\\.go|documentation'),
    maybe(FOUND, 'duplicate|lifecycle'),
    maybe(FOUND, 'flak'),
    maybe(FOUND, 'test'),
  ),
  coding('bdee6b28-3555-4d81-9acb-add77e42c29b#44', want('issue', 'race|resum')),
  coding(
    '03a739fe-543a-41a3-af86-79b5d1ebf1f5#46',
    want(`${DONE}|decision|discovery|preference`, 'toolType|tool ?types?|14|Droid'),
  ),
  coding(
    '3db9f30e-840c-474c-a0d8-1426f561afb4#3',
    want('discovery|issue|decision|preference', 'JSONL'),
    maybe('discovery|issue', 'corrupt|provider|JSONL'),
    maybe('issue|decision', 'README|table'),
  ),
  coding(
    '600c64d2-7996-4ab5-bd88-137df3530cc2#23',
    want('discovery|feature|issue|bugfix|decision', 'changelog'),
    maybe('issue|decision|discovery', 'version|v2\\.6|release|date'),
  ),
  coding(
    'ffd15249-94c2-4f48-b922-d9d4926d3af0#47',
    want(`${SAID}|issue|discovery|bugfix`, 'tool.?(call )?result|tool_use|timestamp|agent.event'),
    maybe(SAID, 'schema'),
    maybe(DONE, 'store|timestamp'),
    maybe('issue|decision', 'option|CompletedAt'),
  ),
  coding('ca68841f-7292-4a45-8e61-c3ecc976c291#27'),
  coding(
    '4008d901-6b62-43a5-8a89-466fa8341c0d#108',
    want(FOUND, 'local.?command|artifact|synthetic|forward.parser'),
    maybe('issue|decision', 'parser|filter|markdown|isSyntheticMessage'),
  ),
  coding('fd7590b3-62e3-49dd-b0bb-f6e4755245e8#1'),
  coding(
    'bfcfe761-0dcf-402d-8164-2fd1524c4be4#0',
    want(`${FOUND}|decision`, 'RE2|backreference|xmlTagsRe|stripXMLTags'),
  ),
  coding(
    '5459170d-2cb3-40fb-9478-5b1fd30eaefc#63',
    want(SAID, 'self.?heal|re-?sync|backfill'),
    want('discovery', 'size'),
    maybe('issue', 'A or B|option|A.vs.B|mechanism|X-Markdown-Size'),
    maybe('discovery|issue', 'two|both|path'),
    maybe('decision|issue', 'option|explicit|session_data_size'),
  ),
  coding(
    'c2d509ef-560d-4c4c-ab6e-12956ab11b03#73',
    want('discovery|issue|decision', 'scan|seedKnownComposers'),
    maybe('issue|discovery|decision', 'scan|refactor|cost'),
  ),
  coding('26f10e63-3b62-4b3e-b447-5b543721e349#0', want('issue|discovery', 'droid')),

  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl#2135da13-4327-4660-9ece-a75746004bd6',
  ),
  transcript(
    'general-tool-calls.jsonl#8f77c148-3c22-4d25-a30d-1f2fee4db460',
    want('feature', 'session-share|publish|plugin'),
    want('decision|preference', 'gh\\b|session-share:publish'),
  ),
  transcript('images-in-user-messages.jsonl#0c629afe-8d02-4f22-9dd6-c930c7776e1c'),
  transcript(
    'general-tool-calls.jsonl#684ff23c-348b-419a-8261-5242a8ecdaaf',
    maybe('discovery|issue', 'SessionStart|new session|test'),
  ),
  transcript('images-in-user-messages.jsonl#137c76c7-f0c9-4afd-adb2-b6d19cdafc15'),
  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl#912e20e1-0ba0-48cf-a14d-176e5aecc2b7',
  ),
  transcript(
    'general-tool-calls.jsonl#57aea556-eb84-43af-a1e2-a26b6f1bd7a0',
    maybe('discovery|bugfix|feature|pattern', 'plugin|publish|gist|works'),
  ),
  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl#8e8b39c0-fde1-4a58-abf2-a44e1cb0f89c',
  ),
  transcript('general-tool-calls.jsonl#2c44ab54-3bad-463b-a526-d183bfc572dd'),
  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl#b827ec1c-2e1a-4f23-b029-932142426b2a',
  ),
  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl#03a754e3-8604-4a5a-a094-4db5e24b577f',
  ),
  transcript('images-in-user-messages.jsonl#a9f65f98-8946-4219-9999-bd59340567ac'),
  transcript(
    'with-subagents/0ccf1a04-1b4c-43b6-8aa5-79e41db43a68/subagents/agent-a9cad17.jsonl#a6d8389f-245a-419f-9e42-f869f21f3dd3',
  ),
];

function coding(name: string, ...keep: readonly Wanted[]): Label {
  return { key: `coding/${name}`, keep };
}

function transcript(name: string, ...keep: readonly Wanted[]): Label {
  return { key: `transcripts/${name}`, keep };
}
