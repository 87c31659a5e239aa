export interface Town {
  city: string;
  state: 'ND' | 'MN' | 'SD';
  county: string;
  zip: string;
  areaCode: string;
}

/** Towns of the Red River valley and the James with grain elevators in them. */
export const TOWNS: readonly Town[] = [
  { city: 'Casselton', state: 'ND', county: 'Cass', zip: '58012', areaCode: '701' },
  { city: 'Hankinson', state: 'ND', county: 'Richland', zip: '58041', areaCode: '701' },
  { city: 'Wheaton', state: 'MN', county: 'Traverse', zip: '56296', areaCode: '320' },
  { city: 'Aberdeen', state: 'SD', county: 'Brown', zip: '57401', areaCode: '605' },
  { city: 'Gwinner', state: 'ND', county: 'Sargent', zip: '58040', areaCode: '701' },
  { city: 'Groton', state: 'SD', county: 'Brown', zip: '57445', areaCode: '605' },
  { city: 'Breckenridge', state: 'MN', county: 'Wilkin', zip: '56520', areaCode: '218' },
  { city: 'Arthur', state: 'ND', county: 'Cass', zip: '58006', areaCode: '701' },
  { city: 'Milbank', state: 'SD', county: 'Grant', zip: '57252', areaCode: '605' },
  { city: 'Oakes', state: 'ND', county: 'Dickey', zip: '58474', areaCode: '701' },
  { city: 'Graceville', state: 'MN', county: 'Big Stone', zip: '56240', areaCode: '320' },
  { city: 'Britton', state: 'SD', county: 'Marshall', zip: '57430', areaCode: '605' },
];

export const STREETS = [
  'Railroad Ave',
  'Elevator Rd',
  'Front St',
  'County Hwy 11',
  '1st Ave N',
  'Main St',
] as const;

/** Rivers, lakes and ridges that farms are named after. */
export const PLACE_WORDS = [
  'Maple River',
  'Wild Rice',
  'Sheyenne',
  'Bois de Sioux',
  'Red River',
  'Coteau',
  'Lake Traverse',
  'Whetstone',
  'Elm Creek',
  'Sand Prairie',
  'Buffalo Ridge',
  'Big Stone',
  'Antelope',
  'Rush River',
  'Mustinka',
] as const;

export const FIELD_NAMES = [
  'Home Quarter',
  'North Eighty',
  'Schoolhouse',
  'River Bottom',
  'Railroad',
  'Church',
  'Section 14',
  'Section 27',
  'West Half',
  'Grove',
  'Pump House',
  'Airstrip',
] as const;
