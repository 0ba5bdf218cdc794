/** KV memory: how many sequences the hardware holds. */
import type { MemoryAnswer } from '@loadcurve/core/capacity/recommendation'
import { definitionList } from './layout.ts'
import { numberText } from './number-text.ts'
import type { Style } from './style.ts'

export function memorySection(memory: MemoryAnswer, style: Style): readonly string[] {
  const { symbols } = style
  return [
    style.heading('Memory'),
    ...definitionList(
      [
        [
          'KV cache',
          `${numberText(memory.availableGib, symbols)} GiB on each GPU, ${memory.kvBytesPerToken} bytes a token before sharding`,
        ],
        ['sequences', `${memory.sequencesWorstCase} always fit, ${memory.sequencesMean} on average`],
      ],
      style.columns,
    ),
  ]
}
