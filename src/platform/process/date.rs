//! Dates as `ps -o lstart` prints them in English.

use time::{Date, Month};

/// The seconds since 1970 of a date like `Fri Sep 11 09:43:48 2026`, in UTC.
pub fn seconds_of_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [_, month, day, clock, year] = text.split_ascii_whitespace().collect::<Vec<_>>().try_into().ok()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u8 + 1;
    let date = Date::from_calendar_date(year.parse().ok()?, Month::try_from(month).ok()?, day.parse().ok()?).ok()?;
    let [hour, minute, second] = clock.split(':').collect::<Vec<_>>().try_into().ok()?;
    let moment = date.with_hms(hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?).ok()?;
    u64::try_from(moment.assume_utc().unix_timestamp()).ok()
}

#[cfg(test)]
mod tests {
    use super::seconds_of_date;

    #[test]
    fn a_date_is_read_as_utc() {
        assert_eq!(seconds_of_date("Fri Sep 11 09:43:48 2026"), Some(1_789_119_828));
        assert_eq!(seconds_of_date("Sat Aug  8 07:11:34 2026"), Some(1_786_173_094));
        for wrong in ["", "136341", "Fri 11 Sep 09:43:48 2026", "Fri Sep 31 09:43:48 2026", "Fri Sep 11 09:43 2026"] {
            assert_eq!(seconds_of_date(wrong), None, "{wrong}");
        }
    }
}
