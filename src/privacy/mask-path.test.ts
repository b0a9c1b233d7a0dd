import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskPath } from './mask-path.ts';

for (const [path, text, masked] of [
  ['/home/ada', 'cat /home/ada/.ssh/config, /home/ada.', 'cat ~/.ssh/config, ~.'],
  ['/home/ada', '/home/adam and /home/ada-old', '/home/adam and /home/ada-old'],
  ['/home/ada', 'file:///home/ada/x file://localhost/home/ada/x', '~/x ~/x'],
  ['/home/ada', '"\\/home\\/ada\\/x"', '"~\\/x"'],
  ['/home/ada', 'open?f=%2Fhome%2Fada%2Fx&g=%2fhome%2fada', 'open?f=~%2Fx&g=~'],
  ['/home/ada', '%252Fhome%252Fada%252Fx', '~%252Fx'],
  ['/home/ada', 'projects/-home-ada-code/x -home-ada, -home-adam', 'projects/~-code/x ~, -home-adam'],
  ['/tmp/x', 'folder -tmp-x here', 'folder ~ here'],
  ['/ada', 'non-ada, run -ada, projects/-ada-app', 'non-ada, run -ada, projects/~-app'],
  ['/home/jörg müller', '/home/j%C3%B6rg%20m%C3%BCller/a "/home/j\\u00f6rg m\\u00fcller/a"', '~/a "~/a"'],
  ['/home/my ada', 'ls /home/my\\ ada/x "/home/my ada/x" q=%2Fhome%2Fmy+ada', 'ls ~/x "~/x" q=~'],
  ['/home/ada', '/home//ada/x //home/ada/x /home/./ada/x', '~/x ~/x ~/x'],
  ['/home/ada', '"\\u002fhome\\u002Fada" &#x2F;home&#x2F;ada &#47;home&#47;ada', '"~" ~ ~'],
  ['C:\\Users\\ada', 'C:\\Users\\ada\\x "c:\\\\Users\\\\ada\\\\x" C:/Users/ada/x', '~\\x "~\\\\x" ~/x'],
  ['C:\\Users\\ada', 'file:///C:/Users/ada/x /c/Users/ada/x /mnt/c/Users/ada', '~/x ~/x ~'],
  ['C:\\Users\\ada', 'projects/C--Users-ada-code C%3A%5CUsers%5Cada', 'projects/~-code ~'],
] as const)
  test(`${path} is masked in ${text}`, () => assert.equal(maskPath(text, path, '~'), masked));

test('what is inside of a folder stays as a relative path', () => {
  const text =
    '/w/app/a.ts file:///w/app/a.ts \\/w\\/app\\/src\\/a.ts %2Fw%2Fapp%2Fa.ts cd /w/app && ls /w/app/ -w-app';
  assert.equal(maskPath(text, '/w/app', '.'), 'a.ts a.ts src\\/a.ts a.ts cd . && ls ./ .');
});

test('the root of the file system is no path to mask', () =>
  assert.equal(maskPath('/a -', '/', '~'), '/a -'));

test('a long hostile text takes linear time', () => {
  const text =
    '\\/home\\/ad'.repeat(50_000) + '%25'.repeat(100_000) + '\\'.repeat(100_000) + '/./'.repeat(50_000);
  assert.equal(maskPath(text, '/home/ada', '~'), text);
});
