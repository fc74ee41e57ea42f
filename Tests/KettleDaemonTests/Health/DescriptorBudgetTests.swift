import Testing

@testable import KettleDaemon

struct DescriptorBudgetTests {
  // Fault 103
  @Test(arguments: [
    (0, 4, 1), (32, 6, 1), (64, 12, 4), (256, 51, 55), (1024, 204, 260), (524_288, 256, 174_664),
  ])
  func `any limit leaves room for clients and for a download`(
    limit: Int, clients: Int, connections: Int
  ) {
    let budget = DescriptorBudget(limit: limit)
    #expect(budget.clientCountMax == clients)
    #expect(budget.connectionCountMax == connections)
  }

  @Test func `the budget stays within the descriptor limit`() {
    for limit in 53...5000 {
      let budget = DescriptorBudget(limit: limit)
      #expect(budget.clientCountMax + 3 * budget.connectionCountMax + 40 <= limit)
    }
  }
}
