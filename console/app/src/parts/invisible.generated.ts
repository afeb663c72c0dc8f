// @generated from crates/types/src/text: do not edit. The tests of crates/types rewrite it.
/* oxlint-disable no-control-regex, no-misleading-character-class -- they are what is looked for */

/** Characters that show nothing of their own. */
export const INVISIBLE =
  /[\u{0}-\u{8}\u{b}-\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}-\u{1160}\u{17b4}-\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff0}-\u{fff8}\u{fff9}-\u{fffb}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Where some of them are part of how a text is written: emoji sequences, and joiners between letters. */
export const SEQUENCES =
  /[#*0-9]\ufe0f\u20e3|\u{1f3f4}(?:\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}|\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}|\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f})|(?![#*0-9])\p{Emoji}\ufe0f?(?:\u200d(?![#*0-9])\p{Emoji}\ufe0f?)*|(?<=[\u{600}-\u{109f}\u{1780}-\u{18af}])[\u200c\u200d](?=\p{Alphabetic})(?![\u{0}-\u{8}\u{b}-\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}-\u{1160}\u{17b4}-\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff0}-\u{fff8}\u{fff9}-\u{fffb}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}])/gu;
