import type { KeyObject } from 'node:crypto'
import type { Queries } from '@counterfoil/engine'
import type { Outbox } from '@counterfoil/store'
import { lastOrderNumber } from './order.ts'

/** Finds a missing master key and the last order number at the start, and not at an order. */
export async function prepareOutbox(
  outbox: Outbox,
  engine: Queries,
  hashKeyOf: (keyVersion: number) => KeyObject,
): Promise<void> {
  for (const version of await outbox.listKeyVersions()) hashKeyOf(version)
  await outbox.raiseNumbers(await lastOrderNumber(engine))
}
