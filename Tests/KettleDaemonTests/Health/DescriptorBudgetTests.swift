import Testing

@testable import KettleDaemon

struct DescriptorBudgetTests {
  // Fault 103
  @Test(arguments: [
    (0, 4, 1), (32, 8, 1), (64, 16, 8), (256, 64, 56), (1024, 256, 248), (524_288, 256, 174_669),
  ])
  func `whatever the limit, clients get in and something is fetched`(
    limit: Int, clients: Int, connections: Int
  ) {
    let budget = DescriptorBudget(limit: limit)
    #expect(budget.clientCountMax == clients)
    #expect(budget.connectionCountMax == connections)
  }

  @Test func `all together stays below the limit`() {
    for limit in 40...5000 {
      let budget = DescriptorBudget(limit: limit)
      #expect(budget.clientCountMax + 3 * budget.connectionCountMax + 24 <= limit)
    }
  }
}
