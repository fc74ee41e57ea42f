import KettleConfiguration
import KettleModel
import Testing

struct ConfigurationFileTests {
  private func parsed(_ text: String) -> ConfigurationFile {
    ConfigurationFile(path: "/c", contents: .bytes(Array(text.utf8)))
  }

  @Test func `a missing file is not a problem`() {
    let (configuration, notices) = ConfigurationFile(path: "/c", contents: .missing)
      .serviceConfiguration()
    #expect(configuration == ServiceConfiguration())
    #expect(notices.isEmpty)
  }

  @Test func `an unreadable file is reported and ignored`() {
    let file = ConfigurationFile(path: "/c", contents: .unreadable("it is not a regular file"))
    #expect(file.serviceConfiguration().0 == ServiceConfiguration())
    #expect(
      file.serviceConfiguration().notices == [
        "\"/c\" cannot be read (it is not a regular file), so none of its settings is known; "
          + "correct it and run \"kettle config reload\""
      ])
    #expect(file.dashboardConfiguration().0 == DashboardConfiguration())
    #expect(file.dashboardConfiguration().notices.count == 1)
  }

  @Test func `valid settings apply, and invalid ones are reported with file and line`() {
    let (configuration, notices) = parsed("[limits]\ntransfers = 3\nrate = 7\n")
      .serviceConfiguration()
    #expect(configuration.transfersMax == 3)
    #expect(
      notices == [
        "The value of \"limits.rate\" in line 3 of \"/c\" must be a rate in quotes, such as "
          + "\"500K\", \"1.5M\" or \"none\"; "
          + "correct it and run \"kettle config reload\""
      ])
  }

  @Test func `the dashboard and the service report their own tables and how to apply changes`() {
    let file = parsed("[keys]\nstart = 7\n[limits]\ntransfers = 0\n")
    let dashboard = file.dashboardConfiguration().notices
    #expect(dashboard.count == 1)
    #expect(
      dashboard.first?.hasPrefix("The value of \"keys.start\" in line 2 of \"/c\" must be ") == true
    )
    #expect(dashboard.first?.hasSuffix("start the dashboard again") == true)
    let service = file.serviceConfiguration().notices
    #expect(service.count == 1)
    #expect(service.first?.contains("\"limits.transfers\"") == true)
  }

  @Test func `the number of notices is limited`() {
    let notices = parsed((0..<1000).map { "k\($0) = 1\n" }.joined()).serviceConfiguration().notices
    #expect(notices.count == 10)
  }

  // Fault 187
  @Test func `what follows from a file that is not understood depends on its reader`() {
    let file = parsed("[limits\n")
    let (_, problems) = file.readForService()
    #expect(problems.map(\.hidesTheFile) == [true])
    let said = "Line 1 of \"/c\" cannot be read (the table name has no closing \"]\"), "
    #expect(
      file.notices(problems, for: .startingService) == [
        said + "so nothing is sent that it may forbid; correct it and run "
          + "\"kettle config reload\", or go on without it with "
          + "\"kettle config reload --without-file\""
      ])
    #expect(
      file.notices(problems, for: .runningService) == [
        said + "so the settings in use stay in effect; correct it and run \"kettle config reload\""
      ])
  }

  // Fault 187
  @Test(arguments: [
    ("limits.rate = \"fast\"", true), ("limits.rate = 2M", true),
    ("queues.night.hours = 5", true), ("limits.speed = 1", false), ("limits.rate = \"1M\"", false),
  ])
  func `a wrong value may loosen something, and an unknown key does not`(
    text: String, loosens: Bool
  ) {
    #expect(parsed(text).readForService().problems.contains(where: \.loosens) == loosens)
  }
}
