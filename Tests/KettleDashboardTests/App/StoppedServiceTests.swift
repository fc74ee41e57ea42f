import KettleDashboard
import KettleModel
import Testing

/// The dashboard after the user has stopped the service.
struct StoppedServiceTests {
  private func stopped(columns: Int = 80, rows: Int = 10) -> Dashboard {
    var model = Sample.model(
      columns: columns, rows: rows, showing: [Sample.row(1, titled: "A guide.pdf", state: .idle)])
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    _ = model.update(.linkChanged(.stopped), at: Sample.moment(seconds: 2))
    return model
  }

  @Test func `the bar says when it was stopped, and which key starts it`() {
    expectScreen(
      stopped().screen(),
      """
       ♨ service stopped at 12:00; w starts it  ○1
         File                  Progress                      Size      Speed    Left
      ▌○ A guide.pdf           not started
      (5 empty lines)
                                                                                  1/1
       a add Space mark / find v view │ : everything ? keys w start service q leave
      """)
    expectScreen(
      stopped(columns: 40, rows: 8).screen(.ascii),
      """
       k service stopped at 12:00  o1
         File                   %      Speed
      >o A guide.pdf        not started
      (3 empty lines)
                                          1/1
       a add | ? keys w start service q leave
      """)
  }

  @Test func `the key starts the service, once`() {
    var model = stopped()
    #expect(model.press(.character("s")) == [])
    #expect(model.said == "The service was stopped; w starts it")
    #expect(model.press(.character("w")) == [.service(.startService)])
    #expect(model.said == "Starting the service…")
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(model.said == "The service is back")
    #expect(model.press(.character("w")) == [])
    #expect(model.said == "The service is running")
  }

  @Test func `a stopped service costs no ticks, and a lost one cannot be started`() {
    #expect(stopped().millisecondsToNextTick(at: Sample.moment(seconds: 60)) == nil)
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    #expect(model.press(.character("w")) == [])
    #expect(model.said == "Not connected to the service; reconnecting")
  }

  // Fault 178
  @Test func `the bar says that the service does not answer, and leaving works`() {
    var model = Sample.model(
      columns: 80, rows: 10, showing: [Sample.row(1, titled: "A guide.pdf", state: .idle)])
    _ = model.update(.linkChanged(.lost), at: Sample.now)
    _ = model.update(.linkChanged(.silent), at: Sample.moment(seconds: 5))
    let line = model.screen(at: Sample.moment(seconds: 65)).lines.first ?? ""
    #expect(line.contains("service does not answer (1:05)"), "\(line)")
    #expect(model.press(.character("s")) == [])
    #expect(model.said == "The service does not answer; \"kettle daemon status\" says more")
    #expect(model.press(.character("q")) == [.terminal(.leave)])
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    #expect(model.said == "The service is back")
  }
}
