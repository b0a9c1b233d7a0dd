/** Words that do not help a query. They are removed from queries, but not from indexed text. */

const STOP = `
a about above actually after again all alright already also although always am an another and any anybody anyone anything anyway are around as at basically be because been before being below
between both but by can cannot could did do does doing done down dude during each either else enough especially etc even ever every everything exactly few follow following for from further
get gets getting go goes going gone got had has have having he hello help her here hers hey hi him his hmm hmmm how however i if instead in
into is it its itself just kind know let lets like likely look looks made make makes making many may maybe me might mine
more most much must my myself need needs neither never no nobody none nor not nothing now of off oh ok okay on once one two three four five only
onto or other others our ours out over own per please put quite rather really right said same say says see seem seems shall she
should show since so some somebody someone something still such sure take tell than thank thanks that the their theirs them
then there these they thing things think this those though through till to too try trying under until up upon us use
used uses using very want wanted wants was way we well were what whatever when where whether which while who whom whose why
will with within without wont would yeah yep yes yet you your yours yup uh uhh um nope stuff guess kinda
dont doesnt didnt isnt arent wasnt werent cant couldnt shouldnt wouldnt havent hasnt hadnt ive im youre were theyre thats
whats lets id ill youll theyll
`;

/**
 * Stop words of German, Spanish, French, Portuguese, Italian and Dutch without accents, except those that are names in
 * code or English words (`dir`, `io`, `van`).
 */
const FOREIGN_STOP = `
aan aber al algo als anche ao aos au auch auf aus aussi aux avec bei beim bij bis bist bitte ce ces cette che comme como
cosa cual cuando da dalla dann dans dass dat dazu de degli dein deine della delle dem den denn der desde deze dich doch
donde door durch een ein eine einem einen einer eines el ela ele ella elle ellos en entre esa ese eso essa esse esta estan
este esto et etwas eux faire fait faut fue fur geen gibt hab habe haben hace hacer het hier hoe ich ihm ihn ihr ihre ik ils
isso ist isto ja jetzt kan kann kannst kein keine konnen le les leur lo loro lui maar machen mais mas mehr mein meine meme
mes mi mich mij mir moi muss muy na naar nach nada nao nas ne nein nella nicht niet noch nog nos nous numa nur oder ohne ook
para pela pelo perche pero peut peux piu por porque pour pourquoi puede puedes qu quand quando que quel quelle quello questa
questo qui quiero sa sao schon sein seine sem ses seu sich sie sind sobre soll sollen sollte sono sont su sua sulla sur sus
ta tambien tes tiene todos toi tous tout tres uber uit uma un una und une unos uns unser unsere unter voce vom von voor vor
vous waar wann warum wegen weil wel wenn wer werden wie wieder wir wird wo wordt wurde wurden ya yo zijn zo zu zum zur
zwischen
`;

/**
 * Words that are common in every coding session. They help to rank, but alone they do not show that a memory is relevant
 * to a prompt.
 */
const WEAK = `
add added adding app application apply branch branches bug bugs build builds call calls change changed changes check class
clean code comment commented comments commit commits complete config conflict conflicts consider create created currently
data default delete diff different edit error errors example explain fail failed failing fails feature feedback file files
find finding findings fine first fix fixed fixes folder function functions git give good handle implement implementation
implemented implementing implements improve issue issues keep last line lines list main merge merged merging message method
missing move name new next observation observations old open option options page part pass path plan possible problem
project pull push question read rebase remove rename repo resolve resolved result results return review reviewed reviewing
run running runs second session set setup simple start started step steps stop string suggestion suggestions support test
tested testing tests text time today todo type types unstaged update updated user users value variable version wait work
worked working works write wrong
`;

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

export const STOP_WORDS = toSet(`${STOP} ${FOREIGN_STOP}`);
export const WEAK_WORDS = toSet(WEAK);
