/** The table of programs whose flags and arguments give a password without naming it. */
import { rule, type Rule } from './_rule.ts';

/** Passwords that the flags of a program give, without a name in the flag itself. */
export function commandRules(): readonly Rule[] {
  const value = `\\\\{0,7}(?:"[^"\\n]{3,128}|'[^'\\n]{3,128}|[^\\s"'\\\\-][^\\s"']{2,128})`;
  const flags: readonly (readonly [programs: string, flag: string])[] = [
    ['az login', ' -p '],
    ['(?:7za?|7zz|rar|unrar)', ' -p'],
    ['(?:zip|unzip|sqlcmd|bcp|isql|ipmitool|mosquitto_(?:pub|sub)|rpcclient)', ' -P '],
    ['ssh-keygen', ' -N '],
    ['ssh-keygen', ' -P '],
    ['(?:xfreerdp|wfreerdp|mstsc|net use)', ' /p:'],
    [
      '(?:rdesktop|cypher-shell|psexec|influx|twine|helm|oc|skopeo|mongoimport|mongoexport|mongorestore|vncpasswd)',
      ' -p ',
    ],
    ['(?:nuget|dotnet nuget)', ' -k '],
    ['(?:vercel|doctl|linode-cli|hcloud|flyctl)', ' -t '],
    ['gh secret set', ' -b'],
    ['gh secret set', ' --body '],
    ['gh secret set', ' --body='],
    ['openssl', ' -k '],
    ['codecov', ' -t '],
    ['(?:useradd|usermod)', ' -p '],
  ];
  const called = flags.map(([programs, flag]) =>
    rule(
      'password',
      [flag],
      new RegExp(
        `((?<=\\b${programs}\\b[^\\n|;&]{0,200})${flag} {0,2}\\\\{0,7}["']?)(?:(?<=["'])[^"'\\n]{3,128}|(?<!["'])[^\\s"'\\\\-][^\\s"']{2,128})`,
        'y',
      ),
      { judged: 'password', command: new RegExp(`\\b${programs}\\b`) },
    ),
  );
  const rest: readonly (readonly [literals: readonly string[], pattern: RegExp])[] = [
    [['pass:'], new RegExp(`((?<=-(?:passin|passout|pass|k) {1,2}["']?)pass:)${value}`, 'y')],
    [
      ['crypt(', 'CRYPT(', 'ENCODE(', 'PASSWORD(', 'password('],
      /((?:pgp_sym_)?(?:de|en)?crypt\(\s{0,2}'|password\(\s{0,2}')[^'\n]{3,128}/iy,
    ],
    [
      ['login '],
      /((?<=\b(?:vault|cargo|netlify|railway) )login (?:-method=token )?(?:token=)?)[^\s-][^\s"']{10,200}/y,
    ],
    [
      ['auth ', 'login ', 'authtoken '],
      /((?<=\b[a-z][\w-]{1,24} (?:config )?)(?:auth|login|(?:add-)?authtoken) )(?:[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?!\w)/y,
    ],
    [['--otp'], /(--otp[= ])\d{6,8}(?!\d)/y],
    [['--from-literal='], /(--from-literal=["']?[\w.-]{1,128}=["']?)[^\s"']{3,200}/y],
    [['WIFI:'], /(WIFI:(?:[STH]:[^;\n]{0,64};){0,3}P:)(?:[^;\n\\]|\\.){3,64}/y],
    [
      ['sqlplus ', 'expdp ', 'impdp ', 'sqlldr ', 'rman target '],
      /((?:sqlplus|expdp|impdp|sqlldr|rman target) (?:-\w+ )?["']?(?:userid=)?[\w.]{1,64}\/"?)[^\s"]{3,128}?(?="?@|\s|$)/y,
    ],
    [['oathtool '], /(oathtool (?:-\S+ ){0,6}["']?)[A-Za-z2-7][A-Za-z0-9=]{15,}/y],
    [['BUNDLE_'], /(BUNDLE_[A-Z0-9_]{2,100}(?:=|: )["']?[\w.-]{1,64}:)[^\s"']{3,128}/y],
    [
      ['<<< ', '<<<"', "<<<'"],
      /((?<=(?:secret|pass|token|key|env add|kinit|login|age -)[^\n]{0,80})<<< ?["']?)[^\s"'$][^\s"']{5,128}/iy,
    ],
    [['--value '], /((?<=(?:secret|passw|token|key)[^\n]{0,80})--value ["']?)[^\s"'$-][^\s"']{5,128}/iy],
    [['encrypt_string '], /(encrypt_string ["'])[^"'\n]{3,128}/y],
    [['bundle config '], /(bundle config (?:set )?(?:--\w+ )?\S{1,100} ["']?[\w.-]{1,64}:)[^\s"']{3,128}/y],
    [['http-basic.'], /(http-basic\.\S{1,100} \S{1,64} ["']?)[^\s"']{3,128}/y],
    [['ConvertTo-SecureString'], /(ConvertTo-SecureString (?:-String )?["'])[^"'\n]{3,128}/iy],
    [['wpa_passphrase '], /(wpa_passphrase \S{1,64} ["']?)[^\s"']{8,63}/y],
    [['htpasswd '], /(htpasswd -\w*b\w* \S{1,128} \S{1,64} ["']?)[^\s"']{3,128}/y],
    [['rabbitmqctl '], /(rabbitmqctl (?:add_user|change_password) \S{1,64} ["']?)[^\s"']{3,128}/y],
    [
      [' -U ', ' -U'],
      /((?<=\b(?:smbclient|rpcclient|smbmap|smbget)\b[^\n]{0,200}) -U {0,2}["']?[^\s%"']{1,64}%)[^\s"']{3,128}/y,
    ],
    [[' -u '], /((?<=\blftp\b[^\n]{0,200}) -u {1,2}["']?[^\s,"']{1,64},)[^\s"']{3,128}/y],
    [['net user '], /(net user \S{1,64} ["']?)(?!\/)[^\s"'/][^\s"']{2,128}/iy],
    [
      ['.send_keys(', '.sendKeys(', '.fill(', '.setValue(', '.type(', '.typeText('],
      /((?<=pass[\w.'"()\]#=-]{0,60})\.(?:send_?keys|fill|setValue|type|typeText)\(\s{0,2}["'`])[^"'`\n]{3,128}/iy,
    ],
  ];
  const piped = rule(
    'password',
    ['echo ', 'printf '],
    /((?:echo|printf) (?:-n |-e |'%s(?:\\n)?' )?["']?(?:[\w.-]{1,64}:(?=[^|\n]{3,140}chpasswd))?)(?=[^|\n]{3,140}\| {0,2}(?:sudo (?:-\S+ ){0,3}-S|(?:sudo )?chpasswd|(?:sudo )?passwd --stdin|[^|\n]{0,80}(?:--password-stdin|--with-token)))[^\s"'|][^"'|\n]{2,128}?(?=["']|\s{0,2}\|)/y,
    { judged: 'password' },
  );
  // The value is the next line of the output.
  const shown = rule(
    'secret',
    [
      'base64 -',
      'vault ',
      'op read',
      'op item',
      'pass ',
      'openssl rand',
      'pwgen',
      'secretsmanager ',
      'secrets ',
      'get secret',
      'auth token',
      'printenv ',
      'config:get',
      'parameter',
      'find-generic-password',
      'print-access-token',
      'get-login-password',
      'keyvault ',
      'uuidgen',
      'doppler ',
      'infisical ',
    ],
    /((?:(?<=(?:secret|passw|token|key|cred)[^\n]{0,200})base64 (?:-d|-D|--decode)|vault (?:kv get|read) [^\n]{0,60}-field|op (?:read|item get) |(?<![\w-])pass (?:show |-c )|openssl rand |pwgen|secretsmanager get-secret|secrets versions access|auth token\b|auth print-access-token|(?<=auth )print-access-token|printenv \w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|PWD)|config:get \w{0,40}(?:KEY|TOKEN|SECRET|PASS|AUTH|PWD)|(?<=--)parameter[^\n]{0,60}decrypt|find-generic-password|get-login-password|keyvault secret show|doppler secrets get|infisical secrets get)[^\n]{0,200}\n)[^\s]{6,512}(?=[ \t]{0,4}(?:\r?\n|$))/y,
    { judged: 'shaped' },
  );
  return [
    ...called,
    piped,
    shown,
    ...rest.map(([literals, pattern]) => rule('password', literals, pattern, { judged: 'password' })),
  ];
}
