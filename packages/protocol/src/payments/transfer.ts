import {
  AMOUNT,
  callbackUrl,
  CARD_PRINTED_NAME,
  cardReference,
  CLIENT_ORDER_ID,
  CREDIT_CARD_NUMBER,
  CURRENCY,
  CVV2,
  DESTINATION_CARD,
  EXPIRE_MONTH,
  EXPIRE_YEAR,
  IP_ADDRESS,
  text,
  url,
} from './common-fields.ts'
import type { Operation } from './operation.ts'

/** Moves money to a card, from a card or from the merchant's deposit (specification, `transfer`). */
export const TRANSFER: Operation = {
  name: 'transfer',
  title: "move money to a card, from a card or from the merchant's deposit",
  answerId: 'transaction-id',
  fields: [
    CLIENT_ORDER_ID,
    AMOUNT,
    CURRENCY,
    text('order_desc', 'what the transfer is for', 125),
    { ...CREDIT_CARD_NUMBER, title: "the number of the sender's card" },
    CVV2,
    EXPIRE_MONTH,
    EXPIRE_YEAR,
    CARD_PRINTED_NAME,
    cardReference('card_recurring_payment_id', "the gateway's id of the sender's card"),
    {
      name: 'deposit2card',
      title: "whether the money comes from the merchant's deposit",
      kind: 'boolean',
      lengthMin: 4,
      lengthMax: 5,
    },
    DESTINATION_CARD,
    cardReference(
      'destination_card_recurring_payment_id',
      "the gateway's id of the receiver's card",
    ),
    IP_ADDRESS,
    callbackUrl(1024),
    url('redirect_url', 'where to send the customer afterwards; the sandbox never does', 1024),
  ],
  choices: [
    {
      title: 'the source',
      required: true,
      alternatives: [
        {
          field: 'credit_card_number',
          requires: ['cvv2', 'expire_month', 'expire_year', 'card_printed_name'],
        },
        {
          field: 'card_recurring_payment_id',
          allows: ['cvv2', 'expire_month', 'expire_year', 'card_printed_name'],
        },
        { field: 'deposit2card' },
      ],
    },
    {
      title: 'the destination',
      required: true,
      alternatives: [
        { field: 'destination-card-no' },
        { field: 'destination_card_recurring_payment_id' },
      ],
    },
  ],
}
