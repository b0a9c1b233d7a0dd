/** Words that say nothing about what a query is after. Dropped from queries only, never from what is indexed. */

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
 * Words every coding session is full of. They may help to rank, but alone they are no sign that a memory and a
 * prompt speak of the same thing.
 */
const WEAK = `
add added adding app application apply bug bugs build builds call calls change changed changes check class clean code commit
commits complete config create created currently delete different edit error errors example fail failed failing fails feature
file files find fine first fix fixed fixes folder function functions give good handle implement implemented implementation
improve issue issues keep last line lines list main method missing move name new next old open page part pass path plan
possible problem project question read remove rename repo return review run running runs second session set setup simple
start started step steps stop string support test tested testing tests text time today todo type types update updated value
user users data default option options result results message variable version wait work worked working works write wrong
`;

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

export const STOP_WORDS = toSet(STOP);
export const WEAK_WORDS = toSet(WEAK);
