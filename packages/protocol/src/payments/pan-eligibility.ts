import {
  callbackUrl,
  CARD_PRINTED_NAME,
  cardReference,
  CLIENT_ORDER_ID,
  EXPIRE_MONTH,
  EXPIRE_YEAR,
} from './common-fields.ts'
import type { Operation } from './operation.ts'

/** Asks whether a card can send money (specification, `pan-eligibility/send`). */
export const PAN_ELIGIBILITY: Operation = {
  name: 'pan-eligibility',
  title: 'ask whether a card can send money',
  answerId: undefined,
  fields: [
    CLIENT_ORDER_ID,
    {
      name: 'sending-card-number',
      title: 'the number of the sending card',
      kind: 'card',
      lengthMin: 12,
      lengthMax: 19,
    },
    { ...CARD_PRINTED_NAME, name: 'card-printed-name' },
    EXPIRE_MONTH,
    EXPIRE_YEAR,
    cardReference('sending-card-ref-id', "the gateway's id of the sending card"),
    callbackUrl(1024),
  ],
  choices: [
    {
      title: 'the card',
      required: true,
      alternatives: [
        {
          field: 'sending-card-number',
          requires: ['card-printed-name', 'expire_month', 'expire_year'],
        },
        {
          field: 'sending-card-ref-id',
          allows: ['card-printed-name', 'expire_month', 'expire_year'],
        },
      ],
    },
  ],
}
