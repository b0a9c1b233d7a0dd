/**
 * The words for passwords, tokens and keys in many languages, as people write them in sentences, labels and tables.
 * `_secret-name.ts` knows the names of programs; this is the list for people.
 */
import { literalScanner, type Hit } from './_literals.ts';
import { isNameChar, secretName, type Strength } from './_secret-name.ts';

// Separated by commas, because some are two words. A word may have an ending of its language.
const PASSWORD = `password,passwords,passwd,passwort,passwörter,kennwort,losungswort,zugangscode,passphrase,passcode,pass phrase,
  pass word,pw,pwd,pswd,psw,pass,passw,
  contraseña,contrasena,contraseñas,clave de acceso,clave secreta,mot de passe,mots de passe,mdp,phrase secrète,code secret,
  senha,senhas,palavra-passe,palavra passe,codigo de acesso,parola d'ordine,parola chiave,password di,
  wachtwoord,toegangscode,hasło,haslo,hasła,hasłem,пароль,пароля,паролем,пароли,парол,
  şifre,sifre,şifresi,parola,parolası,lösenord,losenord,adgangskode,passord,kodeord,salasana,salasanan,tunnussana,
  heslo,hesla,heslem,jelszó,jelszo,jelszava,parolă,parola este,κωδικός,κωδικος,συνθηματικό,лозинка,lozinka,zaporka,šifra,geslo,
  slaptažodis,parole,parool,lykilorð,contrasenya,pasahitza,contrasinal,
  kata sandi,sandi,katalaluan,kata laluan,mật khẩu,mat khau,nywila,
  パスワード,パスフレーズ,パスコード,暗証番号,合言葉,密码,密碼,口令,通行码,비밀번호,비번,암호,패스워드,
  كلمة المرور,كلمة السر,كلمه السر,رمز المرور,رمز عبور,گذرواژه,סיסמה,סיסמא,पासवर्ड,कूटशब्द,পাসওয়ার্ড,கடவுச்சொல்,รหัสผ่าน,پاس ورڈ,
  пин-код,пинкод,pin,pin code,pin-code,pincode,unlock code,door code,recovery code,recovery codes,backup code,backup codes,verification code,one-time code,otp,clave,wifi key,wlan-schlüssel,network key`;
const TOKEN = `token,tokens,jeton,jetons,ficha de acceso,gettone,токен,токена,токеном,токены,żeton,belirteç,jeton d'accès,
  トークン,令牌,토큰,टोकन,रहस्य,رمز الوصول,رمز مميز,توكن,mã thông báo,mã truy cập,โทเค็น,אסימון,
  secret,geheimnis,secreto,segredo,segreto,sekret,секрет,シークレット,시크릿,密文,
  api key,api-key,apikey,api keys,access key,secret key,private key,license key,licence key,account key,encryption key,
  signing key,master key,service key,deploy key,auth key,session key,storage key,shared key,product key,activation key,
  recovery key,client secret,app secret,webhook secret,consumer key,
  subscription key,publishable key,admin key,server key,bot key,ssh key,
  api-schlüssel,api schlüssel,zugangsschlüssel,zugriffsschlüssel,geheimschlüssel,schlüssel,schluessel,zugangsdaten,
  clave api,clave de api,clave de la api,clave privada,clé api,clé d'api,cle api,clé d’api,clé secrète,clé privée,clé d'accès,
  chave api,chave de api,chave da api,chave secreta,chave de acesso,chiave api,chiave segreta,chiave di accesso,
  api-sleutel,api sleutel,toegangssleutel,sleutel,klucz api,klucza api,klucz dostępu,klucz,ключ api,ключ апи,api-ключ,api ключ,ключ доступа,ключ,
  api anahtarı,api anahtari,anahtar,api-nyckel,api nyckel,nyckel,api-nøgle,api nøgle,api-nøkkel,api nøkkel,api-avain,api avain,avain,
  api klíč,klíč,kľúč,api kulcs,kulcs,cheie api,cheia api,κλειδί,
  apiキー,api キー,アクセスキー,シークレットキー,秘密鍵,鍵,api密钥,api 密钥,密钥,密鑰,金鑰,api 키,api키,비밀키,액세스 키,
  مفتاح api,مفتاح,कुंजी,एपीआई कुंजी,kunci api,kunci,khóa api,khoá api,
  chave,chiave,clé,wifi,wi-fi,wlan,credential,credentials,creds,anmeldedaten,identifiants,credenciales,credenciais,credenziali,учётные данные,
  pat,personal access token,bearer,sas,connection string,seed,2fa secret,unseal key,root token,login,log in,sign in,auth,basicauth,the key,this key,my key,new key,your key,old key,key`;

const list = (text: string): readonly string[] =>
  text.split(',').map((word) => word.trim().replace(/\s+/g, ' '));
const STRENGTH = new Map<string, Strength>([
  ...list(TOKEN).map((word) => [word, 'token'] as const),
  ...list(PASSWORD).map((word) => [word, 'password'] as const),
]);
export const SECRET_WORDS: readonly string[] = [...STRENGTH.keys()];
let scanLabel: ReturnType<typeof literalScanner> | undefined;
const LETTER_BEFORE = /[\p{L}\p{N}_$-]$/u;
const ENDING = /(?:['’]s\b|['’]?\p{Ll}{0,4})(?![\p{L}\p{N}_])/uy;
const NO_SPACES = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/; // scripts without spaces between words
const SHORT = 4; // shorter words have no endings
const ENGLISH =
  /token|pass(?!wort|ord|wört)|secret|key|cred(?:ential)?s?$|login|log in|sign in|auth|pin|code|seed|otp|bearer/; // only a plural
const MAX_SIDE = 64;

export interface SecretWord {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly strength: Strength;
  /** It is an identifier of a program, like `DB_PASSWORD`. */
  readonly isName: boolean;
}

/** All words and identifiers for secrets in a text, in order; `hits`: places of SECRET_WORDS. They do not overlap. */
export function secretWords(text: string, hits: readonly Hit[]): readonly SecretWord[] {
  const words: SecretWord[] = [];
  let end = 0;
  for (const { at, literal } of hits) {
    if (at < end) continue;
    const word = wordAt(text, at, literal) ?? nameAt(text, at, literal, end);
    if (word === undefined) continue;
    words.push(word);
    end = word.end;
  }
  return words;
}

function firstWord(label: string): SecretWord | undefined {
  scanLabel ??= literalScanner([{ literals: SECRET_WORDS, ignoreCase: true }]);
  return secretWords(label, scanLabel(label)[0] ?? [])[0];
}

/** `API key` → the whole text is a word for a secret. */
export function wordOf(label: string): SecretWord | undefined {
  const found = firstWord(label);
  return found !== undefined && found.start === 0 && found.end === label.length ? found : undefined;
}

/** A text without digits that names a secret is a label or a translation, not a secret. */
export function isLabel(value: string): boolean {
  return !/\d/.test(value) && value.length < 80 && firstWord(value)?.isName === false;
}

function wordAt(text: string, at: number, literal: string): SecretWord | undefined {
  const strength = STRENGTH.get(literal) ?? 'token';
  const end = at + literal.length;
  if (NO_SPACES.test(literal)) return { start: at, end, word: literal, strength, isName: false };
  if (at > 0 && isInWord(text, at)) return undefined;
  const next = text.charCodeAt(end);
  if (next <= 47 && next !== 39) return { start: at, end, word: literal, strength, isName: false };
  ENDING.lastIndex = end;
  const ending = ENDING.exec(text);
  if (ending === null || (ENGLISH.test(literal) && !/^s?$|^['’]s$/.test(ending[0]))) return undefined;
  if (literal.length < SHORT && /\p{L}/u.test(ending[0])) return undefined;
  return { start: at, end: end + ending[0].length, word: literal, strength, isName: false };
}

function nameAt(text: string, at: number, literal: string, from: number): SecretWord | undefined {
  if (literal.charCodeAt(0) > 122 || literal.includes(' ')) return undefined;
  let start = at;
  while (start > from && at - start < MAX_SIDE && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  let end = at + literal.length;
  while (end < text.length && end - at < MAX_SIDE && isNameChar(text.charCodeAt(end))) end += 1;
  const word = text.slice(start, end);
  const name = secretName(word);
  return name === undefined ? undefined : { start, end, word, strength: name.strength, isName: true };
}

function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  if (code <= 44 && code !== 36) return false; // white space and punctuation, but not `$`
  return LETTER_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && !isEscape(text, at);
}

/** `\nPassword`: the letter of an escape is not part of the word. */
function isEscape(text: string, at: number): boolean {
  return /\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at));
}
