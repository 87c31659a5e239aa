/** The names under which a phone's codes and guesses are counted, of one known browser or of all others. */
export function phoneCounts(phone: string, device: string | undefined) {
  const whose = device ? `device/${phone}/${device}` : `phone/${phone}`;
  return {
    codes: `code/${whose}`,
    codesDay: `code/day/${whose}`,
    guesses: `guess/${whose}`,
    guessesDay: `guess/day/${whose}`,
  };
}
