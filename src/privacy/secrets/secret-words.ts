/**
 * The words for passwords, tokens and keys in many languages, as people write them in sentences, labels and tables.
 * `_secret-name.ts` knows the names of programs; this is the list for people.
 */
import { literalScanner, type Hit } from './literals.ts';
import { isNameChar, secretName, type Strength } from './secret-name.ts';

// Separated by commas, because some are two words. A word may have an ending of its language.
const PASSWORD = `password,passwords,passwd,passwort,passwörter,kennwort,losungswort,zugangscode,passphrase,passcode,pass phrase,
  pass word,pw,pwd,pswd,psw,pass,passw,
  contraseña,contrasena,contraseñas,clave de acceso,clave secreta,mot de passe,mots de passe,mdp,phrase secrète,code secret,
  senha,senhas,palavra-passe,palavra passe,codigo de acesso,parola d'ordine,parola chiave,password di,
  wachtwoord,toegangscode,hasło,haslo,hasła,hasłem,пароль,пароля,паролем,пароли,парол,
  şifre,sifre,şifresi,parola,parolası,lösenord,losenord,adgangskode,passord,kodeord,salasana,salasanan,tunnussana,
  heslo,hesla,heslem,jelszó,jelszo,jelszava,parolă,parola este,κωδικός,κωδικος,συνθηματικό,лозинка,lozinka,zaporka,šifra,geslo,
  slaptažodis,parole,parool,lykilorð,contrasenya,pasahitza,contrasinal,парола,паролата,salasõna,fjalëkalimi,fjalëkalim,wagwoord,
  pasfhocal,cyfrinair,nenosiri,iphasiwedi,phasewete,pasvorto,parol,şifrə,құпиясөз,құпия сөз,нууц үг,сырсөз,рамз,პაროლი,գաղտնաբառ,
  frase de contraseña,frase de paso,frase secreta,código pin,codigo pin,code pin,code secret,code d'accès,código de acceso,wachtwoordzin,zugangskennung,
  секретная фраза,кодовое слово,кодове слово,hemmelig kode,adgangsord,hasłem,tajné heslo,jelige,frază de acces,parola adgangskoden,
  kata sandi,sandi,katalaluan,kata laluan,mật khẩu,mat khau,nywila,
  パスワード,パスフレーズ,パスコード,暗証番号,合言葉,密码,密碼,口令,通行码,비밀번호,비번,암호,패스워드,
  كلمة المرور,كلمة السر,كلمه السر,رمز المرور,رمز عبور,گذرواژه,סיסמה,סיסמא,पासवर्ड,कूटशब्द,পাসওয়ার্ড,கடவுச்சொல்,รหัสผ่าน,پاس ورڈ,پاسورڈ,کلمه عبور,رمز ورود,گذر واژه,وشەی نهێنی,تێپەڕوشە,الرمز السري,رقم السري,الرقم السري,סיסמת,קוד סודי,ססמה,
  ລະຫັດຜ່ານ,ពាក្យសម្ងាត់,លេខសម្ងាត់,စကားဝှက်,లాగిన్ పాస్,పాస్‌వర్డ్,పాస్వర్డ్,ಪಾಸ್‌ವರ್ಡ್,ಪಾಸ್ವರ್ಡ್,പാസ്‌വേഡ്,പാസ്വേഡ്,પાસવર્ડ,ਪਾਸਵਰਡ,මුරපදය,गोप्य शब्द,সংকেতশব্দ,
  пин-код,пинкод,pin,puk,puk code,mfa code,2fa code,2fa-code,mfa-code,einmalcode,einmalpasswort,lösen,bitlocker recovery key,security code,access code,login code,auth code,sms code,pin code,pin-code,pincode,unlock code,door code,recovery code,recovery codes,backup code,backup codes,verification code,one-time code,otp,clave,wifi key,wlan-schlüssel,network key`;
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
  מפתח,סוד,مفتاح سري,کلید api,کلید,คีย์ api,คีย์,api kalit,kalit,api açarı,açar,clau d'api,clau api,clau,api giltza,giltza,api-võti,api võti,võti,
  api atslēga,atslēga,api raktas,raktas,api-lykill,lykill,api кілт,кілт,api клуч,клуч,api kluč,ključ,api ključ,api-ключа,апи ключ,api-kulcs,api-kľúč,api kľúč,api-klíč,κλειδί api,
  zugriffstoken,zugangstoken,toegangstoken,åtkomsttoken,adgangstoken,token de acceso,token de acesso,token di accesso,token dostępu,токен доступа,erişim belirteci,erişim anahtarı,přístupový token,
  hemlighet,hemmelighed,hemmelighet,salaisuus,tajemství,tajomstvo,tajemnica,tajny klucz,gizli anahtar,секретный ключ,секретний ключ,секретен ключ,clave secreta,titkos kulcs,cheie secretă,geheime sleutel,hemlig nyckel,hemmelig nøgle,アクセストークン,访问令牌,存取權杖,액세스 토큰,
  logindaten,inloggegevens,dane logowania,přihlašovací údaje,prihlasovacie údaje,inloggningsuppgifter,loginoplysninger,påloggingsinformasjon,kirjautumistiedot,belépési adatok,date de autentificare,giriş bilgileri,данные для входа,реквизиты,облікові дані,认证信息,凭据,凭证,登录信息,認証情報,ログイン情報,로그인 정보,자격 증명,بيانات الدخول,פרטי התחברות,पहचान,thông tin đăng nhập,kredensial,données de connexion,datos de acceso,dados de acesso,
  wif,2fa seed,totp seed,totp secret,otp secret,mfa secret,mfa seed,authenticator key,authenticator secret,setup key,
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
const PREFIXED = /^[\u0590-\u06ff]/; // in Hebrew and Arabic, articles and prepositions are part of the word
const MAX_PREFIX = 3;
const LETTER_BEFORE = /[\p{L}\p{N}_$-]$/u;
const ENDING = /(?:['’]s\b|['’]?\p{Ll}{0,4})(?![\p{L}\p{N}_])/uy;
const NO_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/; // scripts without spaces between words
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
  if (at > 0 && isInWord(text, at) && !hasPrefix(text, at)) return undefined;
  const next = text.charCodeAt(end);
  if (next <= 47 && next !== 39) return { start: at, end, word: literal, strength, isName: false };
  ENDING.lastIndex = end;
  const ending = ENDING.exec(text);
  if (ending === null || (ENGLISH.test(literal) && !/^s?$|^['’]s$/.test(ending[0]))) return undefined;
  if (literal.length < SHORT && /\p{L}/u.test(ending[0])) return undefined;
  return { start: at, end: end + ending[0].length, word: literal, strength, isName: false };
}

/** `הסיסמה`, `والرمز`: a few letters of the same script come before the word. */
function hasPrefix(text: string, at: number): boolean {
  if (!PREFIXED.test(text.charAt(at))) return false;
  const before = /[\u0590-\u06ff]*$/.exec(text.slice(Math.max(0, at - MAX_PREFIX - 1), at))?.[0].length ?? 0;
  return before > 0 && before <= MAX_PREFIX;
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
