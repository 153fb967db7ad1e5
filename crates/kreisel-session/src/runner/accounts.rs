//! Who may take how much of the simulation's time: every command and question of a guest is paid
//! from an account that fills slowly, so that guests together cannot slow the world down for the
//! host. The host's own commands are its own affair.

use kreisel_dynamics::clock::Instant;
use std::collections::BTreeMap;

/// Share of the time that all guests together may take.
const GUESTS: f64 = 0.15;
/// What a guest may take at once, s.
const BURST: f64 = 0.2;
/// A guest that has asked for nothing for so long leaves its share to the others, s.
const IDLE: f64 = 10.0;
/// Most seconds that a guest waits after one costly command.
const LONGEST: f64 = 60.0;

/// Most debts that are kept: more clients cannot be there at once.
const MOST_DEBTS: usize = 64;

/// What a guest has left.
struct Account {
    /// s; below zero after a command that took more than there was.
    level: f64,
    last: Instant,
}

/// The accounts of guests.
#[derive(Default)]
pub(super) struct Accounts {
    guests: BTreeMap<u32, Account>,
    /// Of guests that left in debt: whoever comes next takes one over, or leaving would pay it.
    debts: Vec<Account>,
}

impl Accounts {
    /// Whether a guest may go on; else how long it has to wait, s.
    pub fn wait(&mut self, guest: u32) -> Option<f64> {
        let now = Instant::now();
        let rate = GUESTS / self.guests.len().max(1) as f64;
        let owes = |a: &Account| a.level + rate * since(a.last, now) < 0.0;
        self.guests.retain(|id, a| *id == guest || owes(a) || since(a.last, now) < IDLE);
        let rate = GUESTS / self.guests.len().max(1) as f64;
        let debts = &mut self.debts;
        let fresh = || debts.pop().unwrap_or(Account { level: BURST, last: now });
        let account = self.guests.entry(guest).or_insert_with(fresh);
        account.level = (account.level + rate * since(account.last, now)).min(BURST);
        account.last = now;
        (account.level < 0.0).then(|| -account.level / rate)
    }

    /// A command of a guest took some time, s.
    pub fn pay(&mut self, guest: u32, took: f64) {
        let rate = GUESTS / self.guests.len().max(1) as f64;
        if let Some(account) = self.guests.get_mut(&guest) {
            account.level = (account.level - took).max(-LONGEST * rate);
        }
    }

    /// A client has gone.
    pub fn forget(&mut self, guest: u32) {
        let gone = self.guests.remove(&guest).filter(|a| a.level < 0.0);
        if self.debts.len() < MOST_DEBTS {
            self.debts.extend(gone);
        }
    }
}

fn since(then: Instant, now: Instant) -> f64 {
    if now > then { (now - then).as_secs_f64() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_that_takes_too_much_waits_and_others_do_not() {
        let mut accounts = Accounts::default();
        assert_eq!(accounts.wait(1), None);
        assert_eq!(accounts.wait(2), None);
        accounts.pay(1, 1.0);
        // 0.8 s too much at half of 15 % of the time
        let wait = accounts.wait(1).expect("it waits");
        assert!((wait - 0.8 / 0.075).abs() < 0.5, "{wait} s");
        assert_eq!(accounts.wait(2), None);
        // whoever leaves and comes back has the same debt
        accounts.forget(1);
        assert!(accounts.wait(3).expect("it waits") > 5.0);
        assert_eq!(accounts.wait(4), None);
        accounts.pay(3, 0.0);
        accounts.wait(1);
        // never for ever
        accounts.pay(1, 1e9);
        assert!(accounts.wait(1).expect("it waits") <= LONGEST + 1.0);
    }
}
