import type { OperationName } from './operation.ts'

/** The fields of a form. */
export type Form = Readonly<Record<string, string>>

/** The number of a valid card. */
export const CARD = '4111111111111111'
/** The fields that every payment has. */
export const MONEY = { client_orderid: '902B4FF5', amount: '10.42', currency: 'EUR' }
/** The expiry date of a card. */
export const EXPIRY = { expire_month: '12', expire_year: '2031' }

/** Valid forms. The forms of an operation together have each of its fields. */
export const VALID_FORMS: Readonly<Record<OperationName, readonly Form[]>> = {
  'pan-eligibility': [
    {
      client_orderid: '902B4FF5',
      'sending-card-number': CARD,
      'card-printed-name': 'ANNA OZOLA',
      ...EXPIRY,
      server_callback_url: 'https://shop.example/callback',
    },
    { client_orderid: '902B4FF5', 'sending-card-ref-id': '1044', ...EXPIRY },
  ],
  transfer: [
    {
      ...MONEY,
      ...EXPIRY,
      order_desc: 'Rent',
      credit_card_number: CARD,
      cvv2: '123',
      card_printed_name: 'ANNA OZOLA',
      'destination-card-no': '5555555555554444',
      ipaddress: '203.0.113.7',
      server_callback_url: 'https://shop.example/callback',
      redirect_url: 'https://shop.example/',
    },
    {
      ...MONEY,
      ...EXPIRY,
      cvv2: '123',
      card_recurring_payment_id: '17',
      destination_card_recurring_payment_id: '18',
    },
    { ...MONEY, deposit2card: 'true', 'destination-card-no': CARD },
  ],
  'transfer-by-ref': [
    {
      ...MONEY,
      order_desc: 'Rent',
      'destination-card-no': CARD,
      ipaddress: '203.0.113.7',
      first_name: 'Anna',
      middle_name: 'Maria',
      last_name: 'Ozola',
      ssn: '0042',
      birthday: '05311990',
      address1: 'Main Street 1',
      city: 'Riga',
      state: 'RI',
      zip_code: 'LV-1001',
      country: 'LV',
      email: 'anna@shop.example',
      phone: '+37120000000',
      cell_phone: '+37120000001',
      receiver_first_name: 'Bruno',
      receiver_middle_name: 'Otto',
      receiver_last_name: 'Kalns',
      receiver_phone: '+37120000002',
      receiver_resident: 'true',
      receiver_identity_document_series: 'LV',
      receiver_identity_document_number: '100',
      receiver_identity_document_id: '1',
      receiver_address1: 'Sea Street 2',
      receiver_city: 'Liepaja',
      server_callback_url: 'https://shop.example/callback',
      redirect_url: 'https://shop.example/',
    },
    { ...MONEY, 'destination-card-ref-id': '17' },
  ],
  payout: [
    {
      ...MONEY,
      order_desc: 'Winnings',
      ipaddress: '203.0.113.7',
      purpose: 'Prize',
      server_callback_url: 'https://shop.example/callback',
      redirect_url: 'https://shop.example/',
      account_number: 'LV80BANK0000435195001',
      bank_name: 'First Bank',
      bank_branch: 'Centre',
      bank_code: '044',
      bank_address1: 'Bank Street 3',
      bank_zip_code: 'LV-1002',
      routing_number: '021000021',
      bank_province: 'Vidzeme',
      bank_area: 'North',
      bank_city: 'Riga',
      account_name: 'Anna Ozola',
      first_name: 'Anna',
      last_name: 'Ozola',
      phone: '+37120000000',
      email: 'anna@shop.example',
    },
    {
      ...MONEY,
      ...EXPIRY,
      credit_card_number: CARD,
      card_printed_name: 'ANNA OZOLA',
      cvv2: '1234',
    },
  ],
}
