// A visit of the page: a game against level 3, exploring, the review of the game, dialogs, and what follows. Each of
// these begins with a mark in the trace.
void (async () => {
  const by = selector => document.querySelector(selector);
  const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
  const until = async is => { while (!is()) await wait(100); };
  const isKnown = () => by('#value').textContent.includes('under best play');
  const begin = part => performance.mark(`part:${part}`);
  await wait(2_000);
  begin('play');
  by('#new-game').click();
  await wait(400);
  by('#player-white').value = '3';
  by('#pace').value = '0';
  by('#new-start').click();
  await wait(500);
  for (;;) {
    const phase = () => by('#phase').textContent;
    await until(() => /Black to move|wins|drawn/.test(phase()));
    if (!phase().includes('to move')) break;
    (phase().includes('White passed') ? by('#pass') : by('.point.may-black') ?? by('#pass')).click();
    await wait(400);
  }
  begin('explore');
  by('[data-view=explore]').click();
  await wait(300);
  by('#first').click();
  await until(isKnown);
  for (const point of ['b2', 'c4', 'd2', 'e4', 'a3', 'c1', 'b5', 'd5', 'e2']) {
    by(`[data-point=${point}]`).click();
    await wait(400);
    await until(isKnown);
  }
  begin('review');
  by('[data-view=review]').click();
  await wait(400);
  await until(() => by('#review-report td') && !by('#review-report').textContent.includes('Thinking'));
  for (let step = 0; step < 12; step += 1) {
    by('#back').click();
    await wait(200);
  }
  begin('dialogs');
  by('[data-view=explore]').click();
  for (const id of ['new-game', 'picture']) {
    await wait(400);
    by(`#${id}`).click();
    await wait(600);
    by('dialog[open]').close();
  }
  await wait(400);
  begin('resize');
})()
