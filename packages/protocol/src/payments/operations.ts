import type { Field, FieldKind, Operation, OperationName } from './operation.ts'

/** Creates an optional field. `length` is the most characters, or the least and the most. */
function field(
  name: string,
  kind: FieldKind,
  length: number | readonly [min: number, max: number],
  title: string,
): Field {
  if (typeof length === 'number') return { name, title, kind, lengthMax: length }
  return { name, title, kind, lengthMin: length[0], lengthMax: length[1] }
}

function text(name: string, lengthMax: number, title: string): Field {
  return field(name, 'text', lengthMax, title)
}

/** A field for the URL that a gateway tells the result. */
function callbackUrl(lengthMax: number): Field {
  const title = 'the URL for the result; the sandbox checks it and never calls it'
  return field('server_callback_url', 'url', ['http://a'.length, lengthMax], title)
}

function redirectUrl(lengthMax: number): Field {
  const title = 'where to send the customer afterwards; the sandbox never does'
  return field('redirect_url', 'url', ['http://a'.length, lengthMax], title)
}

/** A field for the gateway's id of a stored card. */
function cardReference(name: string, title: string): Field {
  return field(name, 'card-id', 20, title)
}

/** The merchant's order id, which is the idempotency key: the gateway answers the same id with the same answer. */
const CLIENT_ORDER_ID: Field = {
  ...field('client_orderid', 'identifier', 128, "the merchant's order id"),
  otherName: 'client-order-id',
  required: true,
}
const MONEY: readonly Field[] = [
  field('amount', 'amount', 10, "the amount, in the currency's major units"),
  field('currency', 'currency', [3, 3], 'the currency (ISO 4217)'),
].map((one) => ({ ...one, required: true }))
const IP_ADDRESS = field('ipaddress', 'ip', [7, 45], "the customer's IPv4 or IPv6 address")
const CVV2 = field('cvv2', 'cvv', [3, 4], "the card's verification value")
const CARD_PRINTED_NAME = text('card_printed_name', 128, 'the name on the card')
const EXPIRE_MONTH = field('expire_month', 'month', [2, 2], 'the month in which the card expires')
const EXPIRE_YEAR = field('expire_year', 'year', [4, 4], 'the year in which the card expires')
const RECEIVING_CARD = 'the number of the card that receives the money'
const DESTINATION_CARD = field('destination-card-no', 'card', [16, 19], RECEIVING_CARD)
const RECEIVERS_CARD = "the gateway's id of the receiver's card"

/** What comes with the number of the sending card, and may come with its reference. */
const SENDING_CARD = ['card-printed-name', 'expire_month', 'expire_year']

const PAN_ELIGIBILITY: Operation = {
  name: 'pan-eligibility',
  title: 'ask whether a card can send money',
  answerId: undefined,
  fields: [
    CLIENT_ORDER_ID,
    field('sending-card-number', 'card', [12, 19], 'the number of the sending card'),
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
        { field: 'sending-card-number', requires: SENDING_CARD },
        { field: 'sending-card-ref-id', allows: SENDING_CARD },
      ],
    },
  ],
}

/** What comes with the number of the sender's card, and may come with its reference. */
const SENDERS_CARD = ['cvv2', 'expire_month', 'expire_year', 'card_printed_name']

const TRANSFER: Operation = {
  name: 'transfer',
  title: "move money to a card, from a card or from the merchant's deposit",
  answerId: 'transaction-id',
  fields: [
    CLIENT_ORDER_ID,
    ...MONEY,
    text('order_desc', 125, 'what the transfer is for'),
    field('credit_card_number', 'card', [12, 19], "the number of the sender's card"),
    CVV2,
    EXPIRE_MONTH,
    EXPIRE_YEAR,
    CARD_PRINTED_NAME,
    cardReference('card_recurring_payment_id', "the gateway's id of the sender's card"),
    field('deposit2card', 'boolean', [4, 5], "whether the money comes from the merchant's deposit"),
    DESTINATION_CARD,
    cardReference('destination_card_recurring_payment_id', RECEIVERS_CARD),
    IP_ADDRESS,
    callbackUrl(1024),
    redirectUrl(1024),
  ],
  choices: [
    {
      title: 'the source',
      required: true,
      alternatives: [
        { field: 'credit_card_number', requires: SENDERS_CARD },
        { field: 'card_recurring_payment_id', allows: SENDERS_CARD },
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

const TRANSFER_BY_REF: Operation = {
  name: 'transfer-by-ref',
  title: "move money from the merchant's deposit to a card",
  answerId: 'transaction-id',
  fields: [
    CLIENT_ORDER_ID,
    ...MONEY,
    text('order_desc', 125, 'what the transfer is for'),
    DESTINATION_CARD,
    cardReference('destination-card-ref-id', RECEIVERS_CARD),
    IP_ADDRESS,
    text('first_name', 128, "the sender's first name"),
    text('middle_name', 128, "the sender's middle name"),
    text('last_name', 128, "the sender's last name"),
    field('ssn', 'digits', [4, 4], "the last four digits of the sender's social security number"),
    field('birthday', 'birthday', [6, 8], "the sender's birthday"),
    text('address1', 50, "the sender's address"),
    text('city', 50, "the sender's city"),
    field('state', 'text', [2, 3], "the sender's state"),
    text('zip_code', 10, "the sender's postal code"),
    field('country', 'country', [2, 2], "the sender's country (ISO 3166-1)"),
    field('email', 'email', [3, 50], "the sender's e-mail address"),
    field('phone', 'phone', 15, "the sender's telephone number"),
    field('cell_phone', 'phone', 15, "the sender's mobile telephone number"),
    text('receiver_first_name', 128, "the receiver's first name"),
    text('receiver_middle_name', 128, "the receiver's middle name"),
    text('receiver_last_name', 128, "the receiver's last name"),
    field('receiver_phone', 'phone', 128, "the receiver's telephone number"),
    field('receiver_resident', 'boolean', [4, 5], 'whether the receiver is a resident'),
    text('receiver_identity_document_series', 512, "the series of the receiver's document"),
    text('receiver_identity_document_number', 512, "the number of the receiver's document"),
    text('receiver_identity_document_id', 512, "the kind of the receiver's document"),
    text('receiver_address1', 512, "the receiver's address"),
    text('receiver_city', 512, "the receiver's city"),
    callbackUrl(128),
    redirectUrl(250),
  ],
  choices: [
    {
      title: 'the destination',
      required: true,
      alternatives: [{ field: 'destination-card-no' }, { field: 'destination-card-ref-id' }],
    },
  ],
}

/** The fields of a payout that may come with an account. */
const BANK_FIELDS: readonly Field[] = [
  text('bank_branch', 255, "the bank's branch"),
  text('bank_code', 3, "the bank's code"),
  text('bank_address1', 255, "the bank's address"),
  text('bank_zip_code', 255, "the bank's postal code"),
  text('routing_number', 16, "the bank's routing number"),
  text('bank_province', 255, "the bank's province"),
  text('bank_area', 255, "the bank's area"),
  text('bank_city', 255, "the bank's city"),
  text('account_name', 128, "the account's holder"),
]

const PAYOUT: Operation = {
  name: 'payout',
  title: "pay the merchant's money out to a bank account or a card",
  answerId: 'payout-id',
  fields: [
    CLIENT_ORDER_ID,
    ...MONEY,
    text('order_desc', 64, 'what the payout is for'),
    { ...IP_ADDRESS, title: "the receiver's IPv4 or IPv6 address" },
    text('purpose', 128, 'the purpose of the payment'),
    callbackUrl(128),
    redirectUrl(250),
    field('account_number', 'identifier', 24, "the receiver's account"),
    text('bank_name', 255, "the receiver's bank"),
    ...BANK_FIELDS,
    field('credit_card_number', 'card', [12, 19], "the number of the receiver's card"),
    CARD_PRINTED_NAME,
    EXPIRE_MONTH,
    EXPIRE_YEAR,
    CVV2,
    text('first_name', 50, "the receiver's first name"),
    text('last_name', 50, "the receiver's last name"),
    field('phone', 'phone', 50, "the receiver's telephone number"),
    field('email', 'email', [3, 128], "the receiver's e-mail address"),
  ],
  choices: [
    {
      title: 'the destination',
      required: true,
      alternatives: [
        {
          field: 'account_number',
          requires: ['bank_name'],
          allows: BANK_FIELDS.map(({ name }) => name),
        },
        { field: 'credit_card_number', allows: ['card_printed_name', 'expire_month', 'cvv2'] },
      ],
    },
    {
      title: "the card's expiry",
      required: false,
      alternatives: [{ field: 'expire_month', requires: ['expire_year'] }],
    },
  ],
}

/** The form operations by name. To add one, add a declaration, a line here, and a handler in the gateway. */
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  'pan-eligibility': PAN_ELIGIBILITY,
  transfer: TRANSFER,
  'transfer-by-ref': TRANSFER_BY_REF,
  payout: PAYOUT,
}
