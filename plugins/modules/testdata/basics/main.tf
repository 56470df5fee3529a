resource "aws_vpc" "this" {
  cidr_block = var.cidr

  tags = {
    Name = var.name
  }
}

resource "aws_subnet" "private" {
  count  = 2
  vpc_id = aws_vpc.this.id
}

data "aws_availability_zones" "available" {
  state = "available"
}

module "logs" {
  source  = "acme/flow-logs/aws"
  version = "~> 2.0"

  vpc_id = aws_vpc.this.id
}

module "local" {
  source = "./modules/local"
}

moved {
  from = aws_vpc.main
  to   = aws_vpc.this
}
