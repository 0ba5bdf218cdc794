/** A document for drawing charts where there is no browser. */
import { parseHTML } from 'linkedom'

export function serverDocument(): Document {
  return parseHTML('<!doctype html><html><body></body></html>').document as unknown as Document
}
