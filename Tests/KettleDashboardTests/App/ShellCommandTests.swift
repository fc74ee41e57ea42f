import KettleModel
import Testing

@testable import KettleDashboard

/// The command in the message line for what a key did.
struct ShellCommandTests {
  private func model() -> Dashboard { Sample.model(columns: 80, rows: 24) }

  private func line(_ model: Dashboard) -> String? {
    model.screen().lines.first { $0.contains(" copies)") }
  }

  @Test func `a key shows the same as a command until the next key`() {
    var model = model()
    _ = model.press(.character("p"))
    #expect(line(model)?.hasPrefix(" kettle pause 1 (y copies)") == true)
    _ = model.press(.down)
    #expect(line(model) == nil)
  }

  @Test func `y copies the command, and then the URL again`() {
    var model = model()
    #expect(
      model.press(.character("p"), .character("y")).last == .terminal(.copy("kettle pause 1")))
    #expect(model.said == "Command copied; y again copies the URL")
    #expect(
      model.press(.character("y")) == [.terminal(.copy(Sample.rows[0].url))])
  }

  @Test func `the command follows what is said, and goes after a time`() {
    var model = model()
    _ = model.press(.character("P"))
    let outcome = CommandOutcome.controlled(.pause, appliedCount: 3, refused: [])
    _ = model.update(.commandFinished(outcome), at: Sample.now)
    #expect(line(model)?.contains("Paused 3 downloads (z: undo)  kettle ") == true)
    #expect(model.millisecondsToNextTick(at: Sample.now) != nil)
    _ = model.update(.ticked, at: Sample.moment(seconds: 21))
    #expect(line(model) == nil)
  }

  @Test func `with another service the command names it, or there is none`() {
    var settings = DashboardSettings()
    for (program, expected) in [("kettle --host nas", "kettle --host nas undo"), (nil, nil)] {
      settings.shellProgram = program
      var model = Dashboard(size: ScreenSize(columns: 80, rows: 24), settings: settings)
      _ = model.update(.linkChanged(.connected), at: Sample.now)
      _ = model.press(.character("z"))
      #expect(model.shell?.text == expected)
    }
  }

  @Test func `every effect with a command has the right one`() throws {
    let (one, two) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
    let queue = try #require(QueueName("night"))
    let link = try TransferURL.parse("https://example.org/a;b?c='d'").get()
    let login = try TransferURL.parse("https://me:secret@example.org/a").get()
    let expected: [(ServiceEffect, String?)] = [
      (.control(.start, .ids([one, two])), "kettle start 1 2"),
      (.control(.stop, .all), "kettle stop --all"),
      (.control(.accept, .ids([one])), "kettle accept 1"),
      (.control(.remember, .ids([one])), "kettle accept --remember 1"),
      (.remove(.ids([one]), withFile: true), "kettle remove --with-file 1"),
      (.limit(.all, 1 << 20), "kettle limit 1M --all"),
      (.limit(.ids([one]), nil), "kettle limit none 1"),
      (.assign(.ids([two]), queue), "kettle queues move night 2"),
      (.bin(.undo(nil)), "kettle undo"), (.bin(.undo(7)), "kettle undo 7"),
      (.reset, "kettle reset"), (.startService, "kettle daemon start"),
      (.add([TransferSpec(url: login.url)]), "kettle add https://example.org/a"),
      (.relink(one, login), "kettle start 1 --url https://example.org/a --user me"),
      (.control(.pause, .matching(RowFilter(), except: [])), nil),
      (.control(.pause, .ids((1...21).map { TransferID(rawValue: $0) })), nil),
      (.clearFinished, nil),
      (.move(.ids([one]), .up), nil), (.loadHosts, nil),
    ]
    for (effect, command) in expected { #expect(effect.shellCommand("kettle") == command) }
    let quoted = try #require(ServiceEffect.relink(one, link).shellCommand("kettle"))
    #expect(quoted.hasPrefix("kettle start 1 --url ") && !quoted.contains("c='d'"))
    var spec = TransferSpec(url: login.url)
    spec.login = login.login
    #expect(ServiceEffect.add([spec]).shellCommand("kettle") == nil)
  }
}
