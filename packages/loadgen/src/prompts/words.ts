/**
 * The words that prompts are made of: 256 short, common English words, each of which nearly every tokenizer knows as
 * one token. Equal costs keep the length of a prompt close to what was asked, and 256 of them spell a byte each.
 */

import type { Random } from '@loadcurve/core/random'

export const WORDS: readonly string[] = `
able also area army away baby back ball band bank base bath bear beat been bell best bill bird blue
boat body bond bone book born boss both bowl busy cake call calm came camp card care case cash cast
cell chat city club coal coat code cold come cook cool copy core corn cost crew crop dark data date
dawn days dead deal dear debt deep desk diet disk does done door down draw drop dust duty each earn
east easy edge else even ever face fact fair fall farm fast fear feed feel feet fell file fill film
find fine fire firm fish five flat flow food foot form four free from fuel full fund gain game gave
gift girl give glad goal goes gold gone good gray grew grow half hall hand hang hard have head hear
heat held help here hero high hill hold hole home hope host hour huge idea inch into iron item join
jump just keep kept kind king knew know lack lady lake land lane last late lead left less life lift
like line link list live load loan long look lose loss lost love luck made mail main make many mark
mass meal mean meat meet menu mile milk mind mine miss mode mood moon more most move much must name
near neck need news next nice nine none note once only open over pace pack page paid pain pair palm
park part pass past path peak pick pink plan play plot plus poem pool poor port
`
  .trim()
  .split(/\s+/)

/** This many words, drawn evenly. */
export function drawWords(count: number, random: Random): string[] {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] ?? 'able')
}
