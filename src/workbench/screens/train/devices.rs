//! Which device the trainings that are started next compute on.

use crate::config::Config;
use crate::device::DeviceInfo;
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;
use crate::workbench::text;

/// What was chosen, and what there is to choose from.
#[derive(Debug, Default)]
pub(super) struct Devices {
    chosen: Option<String>,
    names: Vec<String>,
}

/// Cards, or why there are none.
struct Found(Result<Vec<DeviceInfo>, String>);

/// Asks the machine, which may take a moment.
pub(super) fn look(context: &mut Context) {
    context.spawn(Task::new("devices", "looking for devices", |_| {
        Ok::<_, String>(Found(crate::device::devices()))
    }));
}

impl Devices {
    /// Shows what was found.
    pub fn ask(&mut self, report: &mut TaskReport, context: &mut Context) {
        let Some(Found(cards)) = report.take::<Found>() else { return };
        let none = match &cards {
            Ok(cards) if cards.is_empty() => "the CPU, for no card was found",
            Ok(_) => "the first card",
            Err(_) => "the CPU, for no card can be used",
        };
        if let Err(reason) = &cards {
            // Too long for the list.
            context.status(reason.clone());
        }
        let mut items = vec![
            Item { name: "auto".into(), description: none.into() },
            Item { name: "cpu".into(), description: "all cores, or as `threads` says".into() },
        ];
        items.extend(cards.unwrap_or_default().iter().map(item));
        self.names = items.iter().map(|item| item.name.clone()).collect();
        let chosen = self.chosen.as_deref().unwrap_or("auto");
        let start = self.names.iter().position(|name| name == chosen).unwrap_or(0);
        let title = "Device of the next trainings".into();
        context.push(Effect::Popup(Popup::List { id: "device", title, items, start, free: false }));
    }

    pub fn choose(&mut self, number: usize, context: &mut Context) {
        let Some(name) = self.names.get(number) else { return };
        context.status(format!("trainings that are started next compute on {name}"));
        self.chosen = Some(name.clone());
    }

    /// The settings with the device that was chosen.
    pub fn applied(&self, config: Config) -> Config {
        match &self.chosen {
            Some(device) => Config { device: device.clone(), ..config },
            None => config,
        }
    }
}

fn item(card: &DeviceInfo) -> Item {
    let mut words = card.model.clone().unwrap_or_default();
    if let (Some(free), Some(total)) = (card.free, card.total) {
        words.push_str(&format!(", {} of {} free", text::bytes(free), text::bytes(total)));
    }
    if let Some(busy) = card.busy {
        words.push_str(&format!(", busy {:.0}%", 100.0 * busy));
    }
    Item { name: card.name.clone(), description: words }
}
