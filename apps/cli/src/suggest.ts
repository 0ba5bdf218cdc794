import { distance } from 'fastest-levenshtein'

const shownMax = 3

/**
 * The known names that somebody may have meant: those that contain the word or are contained in it, then the nearest
 * by edits. ` Did you mean H100-SXM?`, or an empty text when nothing is near.
 */
export function didYouMean(word: string, names: readonly string[]): string {
  const wanted = plain(word)
  const near = names
    .map((name) => ({ name, cost: costOf(wanted, plain(name)) }))
    .filter(({ cost }) => cost <= 0.5)
    .sort((left, right) => left.cost - right.cost)
    .slice(0, shownMax)
    .map(({ name }) => name)
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Edits a letter; a name that contains the word costs nearly nothing, however long it is. */
function costOf(wanted: string, name: string): number {
  if (wanted.length >= 2 && (name.includes(wanted) || wanted.includes(name))) return 0.1
  return distance(wanted, name) / Math.max(wanted.length, name.length)
}
