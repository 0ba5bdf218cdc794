/** From levels and options to the recommendation: the one place where `fit` meets core. */
import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { questionOfTable } from '@loadcurve/core/capacity/table-question'
import type { Level } from '@loadcurve/core/fit/level'
import type { FitOptions } from './fit-options.ts'

export function answer(levels: readonly Level[], options: FitOptions): Recommendation {
  return answerCapacity(questionOfTable(levels, options))
}
