/** Twenty calamities at seeded moments, every kind of them. */
import { expect, test } from 'vitest'
import { redisIsInstalled } from '../../packages/store/test/support/own-redis.ts'
import { CALAMITIES, surviveCalamity } from './support/chaos.ts'

const ROUNDS = 20

for (let round = 0; round < ROUNDS; round++) {
  const calamity = CALAMITIES[round % CALAMITIES.length] ?? 'conductor'
  test.runIf(calamity !== 'redis' || redisIsInstalled)(
    `chaos: a run survives ${calamity} (seed ${100 + round})`,
    () => surviveCalamity(calamity, 100 + round),
    300_000,
  )
}

test('chaos: every kind of calamity is among them', () => {
  expect(ROUNDS).toBeGreaterThanOrEqual(CALAMITIES.length)
})
