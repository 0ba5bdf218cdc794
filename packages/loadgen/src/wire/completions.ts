/** The completions endpoint: where an answer carries text. */

import type { ChoiceText } from './chat.ts'
import { asText, type JsonObject } from './json.ts'

/** Text of one choice, in a stream or in a whole answer. */
export function completionsText(choice: JsonObject): ChoiceText {
  return {
    visible: asText(choice['text']),
    reasoning: asText(choice['reasoning_content']) || asText(choice['reasoning']),
  }
}
